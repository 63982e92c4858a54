// SPDX-License-Identifier: GPL-2.0-only
/// Flows as fluids: each has a path and a volume, and rates are max-min fair. Only what a change
/// can reach is computed again.
///
/// A directed link l of rate C_l gives data C_l, or C_l * p / (p + a) while its cable also carries
/// data the other way, whose ACKs (a bytes for a packet of p bytes) it takes. Flow f takes the part
/// w_fl of its rate r_f from link l (1 on a single path; less where packets are sprayed), and has a
/// limit L_f. Rates are the max-min fair ones: no r_f can grow without that of a flow that has no
/// more. They are found by filling: the rates of all flows grow together until a link is full or a
/// limit is reached; what that stops keeps its rate.
///
/// Rates of flows that share no link, directly or by others, do not depend on each other. Solve()
/// finds the connected parts in which something has changed.
///
/// Windows. Flow f has at most a window of W bytes and a packet of F bytes in flight. With the
/// round trip R_f of an idle path its limit is (W + F) / (R_f + t), t what its ACKs wait on their
/// way back: half a packet's time at each link, in proportion to the load that the link had before.
/// So an ACK that stands behind data slows a flow down.
///
/// Claims. A flow with the claim a grows a times as fast as others while rates are filled (weighted
/// max-min): at a full queue a flow with less in it gets less.
///
/// Source: D. Bertsekas, R. Gallager, "Data Networks", 2nd ed., 6.5.2 (max-min by filling).
/// Invariant: the sum of w_fl * r_f at a link is at most its rate; every flow has its limit, or a
/// full link on which nobody has more for its claim. Integers only, and no order of lists counts:
/// equal flows get equal bits on any machine, however they are numbered. Not modelled: that an ACK
/// takes room only as fast as the data comes which it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/fluid/end_queue.h"
#include "transport/model/fluid/fluid_units.h"

namespace heddle {

/// What bounds the bytes that a flow has in flight.
struct FluidWindow {
  FluidVolume volume = 0;  ///< a window and a packet; 0: no bound
  Time round_trip;         ///< of a packet and its ACK on an idle path, > 0 with a volume
};

/// A link of a flow's path and the part of the flow that it carries.
struct FluidHop {
  std::uint32_t link = 0;
  FluidWeight weight = kWholeWeight;

  friend bool operator==(const FluidHop& a, const FluidHop& b) {
    return a.link == b.link && a.weight == b.weight;
  }
};

class FluidNetwork {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// A direction of a cable.
  struct Direction {
    FluidRate rate = 0;         ///< > 0
    std::uint32_t reverse = 0;  ///< the other direction
  };

  /// `packet`, `ack` [byte]: of a full packet and of its ACK, headers included.
  FluidNetwork(const std::vector<Direction>& directions, std::int64_t packet, std::int64_t ack);

  /// A flow of this volume > 0 begins. It flows after Solve(). `hops`: each link once, the first
  /// one at the source.
  std::uint32_t Add(const std::vector<FluidHop>& hops, FluidVolume volume, Time now,
                    const FluidWindow& window = {});
  /// Lets a flow have this rate > 0 at most, from the next Solve() on.
  void Limit(std::uint32_t flow, FluidRate limit);
  /// Gives a flow another window, from the next Solve() on.
  void SetWindow(std::uint32_t flow, const FluidWindow& window);
  /// Lets a flow have this share of what flows with whole claims get beside it, from the next
  /// Solve() on: `claim` in (0, kWholeWeight].
  void SetClaim(std::uint32_t flow, FluidWeight claim);
  /// Lets packets of others wait this long at a link besides (WaitAt()), from the next Solve() on.
  void SetQueueWait(std::uint32_t link, Time wait) { links_[link].queue_wait = wait; }
  /// Gives a link another rate > 0, from the next Solve() on.
  void SetLinkRate(std::uint32_t link, FluidRate rate);
  /// What a flow has left at a time, rounded up.
  FluidVolume LeftOf(std::uint32_t flow, Time now) const;
  /// A flow ends, whatever it has left.
  void Remove(std::uint32_t flow);
  /// Brings all rates and ends up to date.
  void Solve(Time now);

  /// When the first flow ends, if nothing changes; Time::Max() if none flows.
  Time next_end() const { return ends_.first(); }
  /// The flow that ends then; of several the one with the lowest number.
  std::uint32_t next_flow() const { return ends_.first_flow(); }
  /// The same, which ends no more: it loads its links until Remove(), which must come before the
  /// next Solve().
  std::uint32_t TakeNext() {
    const std::uint32_t flow = ends_.first_flow();
    ends_.Remove(flow);
    return flow;
  }
  FluidRate rate(std::uint32_t flow) const { return flows_[flow].rate; }
  /// The place in its path of the first link that limits it, after Solve(); kNone: its own limit.
  std::uint32_t bottleneck(std::uint32_t flow) const { return flows_[flow].bottleneck; }
  /// What a link gives data now.
  FluidRate CapacityOf(std::uint32_t link) const {
    const Link& at = links_[link];
    return links_[at.reverse].flows.empty() ? at.rate : at.both_ways;
  }
  /// What a packet waits at a link for one of others that is being sent, on average: half the time
  /// of a full one, in proportion to the others' load. `own`: the rate that is not theirs.
  Time WaitAt(std::uint32_t link, FluidRate own) const;
  std::uint32_t ReverseOf(std::uint32_t link) const { return links_[link].reverse; }
  /// The sum of its flows' parts.
  FluidRate LoadOf(std::uint32_t link) const { return links_[link].load; }
  /// Calls visit(flow, weight) for each flow on a link, in no order.
  template <class Visit>
  void ForEachAt(std::uint32_t link, const Visit& visit) const {
    for (const Entry& entry : links_[link].flows)
      visit(entry.flow, flows_[entry.flow].hops[entry.hop].weight);
  }
  /// The link at a place of a flow's path, and the part that it carries.
  FluidHop HopOf(std::uint32_t flow, std::uint32_t place) const {
    const Hop& hop = flows_[flow].hops[place];
    return {hop.link, hop.weight};
  }
  std::uint32_t LengthOf(std::uint32_t flow) const {
    return static_cast<std::uint32_t>(flows_[flow].hops.size());
  }
  /// Number of flows on a link.
  std::size_t FlowsAt(std::uint32_t link) const { return links_[link].flows.size(); }

  // What was done so far.
  std::uint64_t solves() const { return solves_; }              ///< parts
  std::uint64_t solved_flows() const { return solved_flows_; }  ///< of these parts
  std::uint64_t largest() const { return largest_; }            ///< flows of the largest part

  /// What was set since the last Solve() changes no rate: after loading, of links whose rates the
  /// loaded ones have seen.
  void ForgetChanges();

  /// Bytes that it has allocated.
  std::size_t memory() const;

  /// Saves the flows, after Solve(); lists and ends follow from them.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(flows_.size());
    archive& count& free_& solves_& solved_flows_& largest_;
    if constexpr (Archive::is_loading::value) flows_.assign(count, Flow());
    for (Flow& flow : flows_) {
      StateCount hops(flow.hops.size());
      archive& flow.left& flow.at& flow.rate& flow.limit& flow.bottleneck& flow.open& hops;
      archive& flow.window.volume& flow.window.round_trip& flow.claim;
      if constexpr (Archive::is_loading::value) flow.hops.resize(hops);
      for (Hop& hop : flow.hops) archive& hop.link& hop.weight;
    }
    if constexpr (Archive::is_loading::value) Rebuild();
  }
  /// Whether a number is that of a flow under way.
  bool is_open(std::uint32_t flow) const { return flow < flows_.size() && flows_[flow].open; }
  /// Number of flows under way.
  std::size_t open() const { return ends_.size(); }

 private:
  /// A flow at a link: its number, and the place of the link in its path.
  struct Entry {
    std::uint32_t flow = 0, hop = 0;
  };
  struct Link {
    FluidRate rate = 0, both_ways = 0;
    FluidRate load = 0;  ///< sum of its flows' parts
    Time half_packet;    ///< half the time of a full one
    Time queue_wait;     ///< of packets that are not of its flows' bottleneck
    std::uint32_t reverse = 0;
    bool dirty = false;
    std::vector<Entry> flows;
    // While a part is solved.
    FluidRate left = 0;         ///< that no flow has yet
    std::uint64_t weights = 0;  ///< of flows without a rate
    std::uint64_t mark = 0;     ///< of the last part with it
    std::uint32_t full = 0;     ///< turn of the filling in which it became full; 0: not yet
  };
  struct Hop {
    std::uint32_t link = 0;
    FluidWeight weight = 0;
    std::uint32_t place = 0;  ///< in the link's list
  };
  struct Flow {
    FluidVolume left = 0;  ///< at `at`
    Time at;
    FluidRate rate = 0, next_rate = 0, limit = kNoLimit;
    FluidRate bound = kNoLimit;  ///< by limit and window, while a part is solved
    FluidWindow window;
    FluidWeight claim = kWholeWeight;
    std::vector<Hop> hops;
    std::uint32_t bottleneck = kNone;
    std::uint64_t mark = 0;  ///< of the last part with it
    bool open = false;
    bool fixed = false;  ///< while a part is solved: next_rate is its rate
  };
  /// When filling stops something: the level at which it did when this was entered.
  struct Stop {
    FluidRate level = 0;
    std::uint32_t link = 0;  ///< kNone: the limit of a flow
    std::uint32_t flow = 0;
  };

  void Attach(std::uint32_t flow);
  void Touch(std::uint32_t link) {
    if (links_[link].dirty) return;
    links_[link].dirty = true;
    dirty_.push_back(link);
  }
  /// Lists and ends of loaded flows. Throws UserError "the saved state has ...".
  void Rebuild();
  void Collect(std::uint32_t first);
  void Fill();
  void FillOne(Flow* flow);
  FluidRate BoundOf(const Flow& flow) const;
  /// What a flow adds to a link's load while the level of filling rises by 1, rounded up.
  static FluidWeight ClaimAt(const Flow& flow, const Hop& hop) {
    if (flow.claim == kWholeWeight) return hop.weight;
    return static_cast<FluidWeight>(PartOf(hop.weight, flow.claim));
  }
  void ChangeLoad(const Flow& flow, FluidRate from, FluidRate to);
  void OpenStops();
  /// Moves the stops of the lowest level to reached_. Returns the level; of those that have risen
  /// since they were entered, the new one is entered instead.
  FluidRate TakeStops();
  /// Gives what has stopped its rate. Returns how many flows.
  std::size_t FixReached(FluidRate level);
  void Push(const Stop& stop);
  void Fix(std::uint32_t flow, FluidRate rate);
  void SetRate(std::uint32_t flow, Time now);

  std::int64_t packet_, ack_;  ///< [byte]
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;   ///< flows
  std::vector<std::uint32_t> dirty_;  ///< links
  EndQueue ends_;
  std::uint64_t solves_ = 0, solved_flows_ = 0, largest_ = 0;
  // Of the part that is solved.
  std::uint64_t mark_ = 0;
  std::uint32_t turn_ = 0;
  std::vector<std::uint32_t> part_links_, part_flows_, stack_;
  std::vector<std::uint32_t> solved_;  ///< flows of all parts of one Solve()
  std::vector<Stop> stops_;            ///< a heap
  std::vector<Stop> reached_;          ///< of one level
};

}  // namespace heddle
