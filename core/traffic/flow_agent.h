// SPDX-License-Identifier: GPL-2.0-only
/// The interface between the transport and the source of flows: flows are posted during the
/// simulation, and their completion is reported. A carrier may take whole collectives instead
/// (core/traffic/collective_carrier.h).
///
/// The poster (a collective's execution) and the transport know each other through these types
/// only. A flow carries a cookie, plain bytes that its receiver's agent gets when the flow is
/// complete: there is no table of flows, and what depends on a flow is found where it arrives.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/collective_carrier.h"
#include "core/traffic/message_contents.h"

namespace heddle {

class StateReader;
class StateWriter;
class WholeCollectives;  // core/traffic/whole_collectives.h

/// Data of the poster that are returned to the agents with the flow's completion.
struct FlowCookie {
  alignas(8) unsigned char bytes[32];

  /// Wraps a plain record of 32 bytes.
  template <class Record>
  static FlowCookie Of(const Record& record) {
    static_assert(sizeof(Record) == sizeof(FlowCookie) && std::is_trivially_copyable_v<Record>);
    FlowCookie cookie;
    std::memcpy(cookie.bytes, &record, sizeof(Record));
    return cookie;
  }
  /// Returns the record that Of() was given; `Record` must be the same type.
  template <class Record>
  Record As() const {
    static_assert(sizeof(Record) == sizeof(FlowCookie) && std::is_trivially_copyable_v<Record>);
    Record record;
    std::memcpy(&record, bytes, sizeof(Record));
    return record;
  }
};

/// The origin of a flow, recorded in the result so that users find the collective it belongs to.
struct FlowOrigin {
  /// Number of the operation in the job (collectives/program/program.h).
  std::uint32_t operation = kNone;
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0;
  std::uint16_t job = 0;

  static constexpr std::uint32_t kNone = ~0U;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& operation& chunk& channel& job;
  }
};

/// The numbers of a message's first flow, if its poster gives them; those of its other flows follow
/// (MessageSplit). A trace gives them in the order of its file, whenever the flows start; other
/// flows are numbered by the transport as they start.
struct FlowNumbers {
  std::uint32_t number = kNone;   ///< at its source (FlowId)
  std::uint32_t message = 0;      ///< at its source; a message may be several flows
  std::uint16_t source_port = 0;  ///< UDP

  static constexpr std::uint32_t kNone = ~0U;
  /// Whether the poster gives the numbers.
  bool given() const { return number != kNone; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& number& message& source_port;
  }
};

/// Name of a sum that a switch makes packet by packet: the flows into the switch that feed it, and
/// those out of the switch that carry it on. One name a switch and sum; the poster's choice.
struct StreamName {
  std::uint64_t high = 0, low = 0;

  /// Whether it names a stream: not the default.
  bool given() const { return (high | low) != 0; }
  friend bool operator==(const StreamName& a, const StreamName& b) {
    return a.high == b.high && a.low == b.low;
  }
  /// Orders by the words, for maps; the order means nothing.
  friend bool operator<(const StreamName& a, const StreamName& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& high& low;
  }
};

/// A request to send a message. The transport splits the message over queue pairs, one flow each
/// (MessageSplit).
struct FlowPost {
  static constexpr std::uint32_t kOwnConnection = ~0U;
  static constexpr std::uint32_t kMaxConnections = 1U << 24;
  static constexpr std::uint16_t kAnyLane = 0xffff;

  Time start;  ///< creation of its queue pair, software latency included; not before now
  Time asked;  ///< when the software hands over the flow and its latency begins: the controller is
               ///< asked then; not before the completion that made it possible
  NodeId source;  ///< a GPU or NVSwitch of the posting domain
  NodeId destination;
  std::int64_t size = 0;  ///< payload [byte], > 0
  /// Rank among the flows of one source that start at the same time; lower first.
  std::uint64_t order = 0;
  FlowCookie cookie = {};
  FlowOrigin origin;
  std::uint8_t priority = 3;             ///< 1 to 7; SimAI sends data on 3
  bool send_recv = false;                ///< of send and receive, as in an all-to-all
  std::uint16_t destination_port = 100;  ///< UDP port of SimAI's flows
  FlowNumbers numbers;
  /// The lasting connection of its source and destination that carries it, < kMaxConnections, as
  /// the poster numbers them; if agents are notified of completions, and no central controller
  /// gives ports. kOwnConnection: it has one of its own, as a post with numbers has in any case.
  std::uint32_t connection = kOwnConnection;
  /// The lane of a scale-up fabric that carries it (ScaleUpShape::FirstLaneOf, plus the lane of the
  /// dimension); source and destination then differ in this dimension only. kAnyLane: the fabric
  /// chooses.
  std::uint16_t lane = kAnyLane;
  /// Its destination's agent is notified when its last byte arrives, without waiting for the
  /// acknowledgement: of what hardware answers by itself, where flow.completion says acked too.
  bool on_arrival = false;
  /// Its destination, a switch that adds, begins to add it with its first packet: it feeds the
  /// stream that FlowAgent::Begun() names. It is one flow, to a node that its source is linked to.
  bool feeds = false;
  /// The stream that it carries on, at its source, a switch that adds: a packet may leave when that
  /// packet of every flow that feeds the stream is there. It is one flow, to a linked node. All
  /// flows that carry a stream on are posted at one time, with as many bytes as the flows that feed
  /// it.
  StreamName stream;

  /// Whether it is a link of a tree that adds.
  bool in_tree() const { return feeds || stream.given(); }
};

/// The transport's interface for an agent. One for each domain.
class FlowPoster {
 public:
  /// Posts a flow. Its place among the flows of its source depends only on (start, order), not on
  /// when it was posted.
  virtual void Post(const FlowPost& flow) = 0;
  /// Posts a flow with what the message carries, for a poster that moves bytes.
  virtual void PostSlice(const FlowPost& flow, const MessageSlice& /*slice*/) { Post(flow); }
  /// Returns the domain's clock, which may be past the time that Received() names;
  /// 0 where it never is.
  virtual Time Now() const { return {}; }
  /// Requests a call of FlowAgent::Woken() at `when`, which is not before now.
  virtual void WakeAt(Time when) = 0;
  /// Returns the carrier of whole collectives, which takes no flows; null: flows are posted. The
  /// same on all domains of a run, and constant.
  virtual CollectiveCarrier* collectives() { return nullptr; }
  /// Reports that the participation of `node` in a collective of posted messages ended at `when`,
  /// because of the notice that the agent is handling.
  virtual void ParticipationEnded(const CollectiveName& /*name*/, NodeId /*node*/, Time /*when*/) {}

 protected:
  ~FlowPoster() = default;
};

/// Drives the flows of one domain's hosts. Its functions are called while the domain runs, in an
/// order that depends on the division into domains. An agent's actions may depend on the times in
/// the calls, never on the order of calls with equal or nearly equal times.
class FlowAgent {
 public:
  virtual ~FlowAgent() = default;
  /// Begins the run. Called once, before the first event. `port` outlives the agent.
  virtual void Begin(FlowPoster* port) = 0;
  /// Continues at the time that FlowPoster::WakeAt() was given.
  virtual void Woken() {}
  /// Adds the flows that this agent has not posted and will post in any case: they are part of a
  /// run's unfinished flows.
  virtual void AddUnposted(std::vector<FlowPost>* /*flows*/) const {}
  /// Reports that the last byte of a flow posted here was first transmitted at `when` (now, or the
  /// end of the packet).
  virtual void Sent(const FlowCookie& cookie, Time when) = 0;
  /// Reports that a flow to a host of this domain was completed at `when`. The domain's clock may
  /// be past `when`, but by less than the delay of anything that the agent may post in consequence
  /// (FlowDriver::notice_delay).
  virtual void Received(const FlowCookie& cookie, Time when) = 0;
  /// Reports that the first packet of a flow that feeds a stream (FlowPost::feeds) arrived now, at
  /// `when`; there is no Received() of such a flow. Returns the stream's name. The flows that carry
  /// it on are to be posted once all that feed it have begun, to start then.
  virtual StreamName Begun(const FlowCookie& /*cookie*/, Time /*when*/) { return {}; }
  /// Reports that the participation of `node`, a GPU of this domain, in a whole collective ended at
  /// `when`; the domain's clock may be past it.
  virtual void Completed(const CollectiveName& /*name*/, NodeId /*node*/, Time /*when*/) {}
  /// Returns the interface for collectives that are replayed whole; null: none can be. Constant
  /// after Begin().
  virtual WholeCollectives* whole() { return nullptr; }
  /// Whether the cookie may belong to a message from `source` (invalid: any host) to `destination`
  /// (invalid: any host of this domain). Called for cookies from a checkpoint; an agent that
  /// returns true must be able to handle the cookie.
  virtual bool Knows(const FlowCookie& /*cookie*/, NodeId /*source*/,
                     NodeId /*destination*/) const {
    return true;
  }
  /// Whether Woken() may be called at these times, ascending, and at no other. Called for events
  /// from a checkpoint, after Load(); an agent that returns true must be able to be woken so.
  virtual bool Awaits(const std::vector<Time>& /*wakes*/) const { return true; }
  /// Saves the agent's state of the run for checkpoints (core/checkpoint/state_archive.h). At a cut
  /// only.
  virtual void Save(StateWriter* to) const = 0;
  /// Loads the state that an agent of the same domain saved in another run; call after Begin().
  virtual void Load(StateReader* from) = 0;
};

/// The agents of a run, and the time they take to react.
class FlowDriver {
 public:
  virtual ~FlowDriver() = default;
  /// Returns the agent of a domain with these nodes; null if the domain needs none. Owned by the
  /// driver.
  virtual FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) = 0;
  /// Returns the least time between a completion and the start of a flow that an agent posts in
  /// consequence; > 0. Time::Max(): no agent is notified of completions.
  virtual Time notice_delay() const = 0;
  /// Whether every flow goes from a node to one that is linked to it.
  virtual bool neighbours_only() const { return false; }
  /// Returns what the first of its agents that has not ended waits for, in words; empty if there is
  /// nothing to report.
  virtual std::string WaitsFor() const { return {}; }
  /// Returns the call by which the first rank of a group begins a collective, but for its time;
  /// nothing if no job has it. For carriers of whole collectives that are not told of the call.
  virtual std::optional<CollectiveCall> CallOf(const CollectiveName& /*name*/) { return {}; }
  /// Returns what its flows carry; null: nothing that matters.
  virtual MessageContents* contents() { return nullptr; }
  /// Whether flows have a FlowOrigin.
  virtual bool origins() const { return true; }
};

}  // namespace heddle
