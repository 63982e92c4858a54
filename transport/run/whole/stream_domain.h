// SPDX-License-Identifier: GPL-2.0-only
/// The domain in which whole collectives share links: each is a stream, a fluid on all its links at
/// once (docs/models/flow.md).
///
/// A stream begins when all ranks have. Its speed is bounded by what its closed form gives it if
/// links are used evenly, and by max-min fair shares of the links on its messages' paths. What the
/// closed form adds for latencies follows the last byte. So a collective that meets nobody, neither
/// itself by a hash nor others, takes its price. If its bytes took longer, a part of that was while
/// messages of other channels had their latencies: what follows is shorter then, by the queue of a
/// closed network (P. Schweitzer's approximation of mean value analysis, 1979). Messages that all
/// leave at once (AllToAll) have one latency, which nothing hides.
///
/// Streams are computed kLag later than they flow, so that reports of begins are there in time.
/// Ends are reported with the times that count.
/// Not modelled: congestion control, messages of a collective that go at different speeds.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "core/base/memory_account.h"
#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "core/traffic/flow_agent.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/run/whole/collective_report.h"
#include "transport/run/whole/stream_plans.h"

namespace heddle {

/// What the domain of streams needs of the run. All must outlive it.
struct StreamRun {
  const FluidRun* fluids = nullptr;
  CollectivePrices* prices = nullptr;  ///< with loads()
  FlowDriver* driver = nullptr;        ///< knows the calls
  PostOffice* post_office = nullptr;
  std::vector<DomainId> domain_of;  ///< by node
  DomainId streams;                 ///< this domain
  Time report;                      ///< that a report takes
};

class StreamDomain final : public Domain {
 public:
  /// What a link did to collectives.
  struct Held {
    Time time;  ///< by which it lengthened those that it bounded at their end
    std::uint64_t streams = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& time& streams;
    }
  };

  explicit StreamDomain(const StreamRun* run);

  void RunUntil(Time end) override;
  Time now() const { return now_; }  ///< of the last event
  const StreamPlans& plans() const { return plans_; }
  const FluidNetwork& network() const { return network_; }
  const std::vector<std::int64_t>& carried() const { return carried_; }  ///< by link [byte]
  const std::vector<Held>& held() const { return held_; }                ///< by link
  void AddMemory(MemoryAccount* account) const;

  // For checkpoints, at a cut. What is loaded is checked: ExpectState().
  void Save(StateWriter* to) const;
  /// Loads what Save() wrote. Throws UserError "the saved state has ...".
  void Load(StateReader* from);

 private:
  /// A stream under way, by its number in the network.
  struct Stream {
    CollectiveReport report;
    Time tail;   ///< from its last byte to its end, if it meets nobody
    Time begin;  ///< of its bytes
    Time busy;   ///< that they take, if it meets nobody
    FluidVolume volume = 0;
    bool at_once = false;  ///< all its messages leave together: there is one latency

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& report& tail& begin& busy& volume& at_once;
    }
  };
  struct Earlier {
    static auto KeyOf(const CollectiveReport& of) {
      return std::tuple(of.when, of.name.job, of.name.operation, of.name.group);
    }
    bool operator()(const CollectiveReport& a, const CollectiveReport& b) const {
      return KeyOf(a) < KeyOf(b);
    }
  };

  void RunAt(Time now);
  void Begin(const CollectiveReport& report, Time now);
  void End(std::uint32_t id, Time now);
  /// What follows its last byte, which has left now.
  static Time TailOf(const Stream& stream, Time now);
  void Reply(CollectiveReport report, Time when);
  void ScheduleTurn(Time now);
  void CheckReport(const CollectiveReport& report) const;
  void CheckLoaded() const;
  template <class Archive>
  void SerializeState(Archive& archive);

  const StreamRun& run_;
  Time lag_;
  Time now_;
  StreamPlans plans_;
  FluidNetwork network_;
  std::vector<Stream> streams_;
  std::set<CollectiveReport, Earlier> starts_;  ///< that have not begun
  std::vector<Time> turns_;                     ///< that are scheduled; the next one is the last
  std::vector<std::int64_t> carried_;
  std::vector<Held> held_;
};

}  // namespace heddle
