// SPDX-License-Identifier: GPL-2.0-only
/// The hosts of one domain under the analytical backend: collectives are met, priced and ended;
/// nothing is sent.
///
/// The ranks of a collective report their begins to the domain of its first rank, which knows the
/// end as soon as it has all of them: the latest begin, plus the price. It reports the end to every
/// rank. Reports contain the times that count, so the time that a report takes (kReport) changes no
/// result.
///
/// A message from one rank to another waits for nobody, as with packets: it has arrived its price
/// after the sender began. The sender ends then, the receiver when it has begun too.
///
/// With a domain of streams (StreamDomain) that knows the end instead: it is asked when all ranks,
/// or the sender of a message, have begun. Not modelled: ranks that end before others; without
/// streams, collectives that share links.
#pragma once

#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/memory_account.h"
#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "core/traffic/collective_carrier.h"
#include "core/traffic/collective_prices.h"
#include "core/traffic/flow_agent.h"
#include "transport/run/whole/collective_report.h"

namespace heddle {

/// What the domains of one MPI rank have in common.
struct AnalyticalRun {
  CollectivePrices* prices = nullptr;
  std::vector<DomainId> domain_of;  ///< by node
  PostOffice* post_office = nullptr;
  DomainId streams = {};  ///< in which collectives share links; invalid: they are alone
};

class AnalyticalDomain final : public Domain, public FlowPoster, public CollectiveCarrier {
 public:
  /// Time that a report takes: the lookahead of the run. Less than any price of a collective that
  /// counts latencies, so that ends are reported in their order.
  static constexpr Time kReport = NanoSeconds(100);

  /// `run` must outlive the domain.
  AnalyticalDomain(DomainId id, const AnalyticalRun* run) : Domain(id), run_(*run) {}

  /// `agent`: null if no host here has a program. It must outlive the domain.
  void Attach(FlowAgent* agent);
  FlowAgent* agent() const { return agent_; }  ///< null: no host here has a program

  /// Acts on the reports and wake-ups before `end`.
  void RunUntil(Time end) override;
  Time now() const { return now_; }  ///< of the last event
  /// Adds the memory of the base, and of meetings to Structure::kEvents.
  void AddMemory(MemoryAccount* account) const;

  // FlowPoster. Flows break an invariant: no agent posts them if collectives are taken.
  void Post(const FlowPost& flow) override;
  /// Asks for a call of Woken() at `when`, at once if that is past.
  void WakeAt(Time when) override;
  /// Returns this: collectives are taken whole.
  CollectiveCarrier* collectives() override { return this; }

  /// Reports the begin of one rank to the domain of the first rank; of a message, of the lower of
  /// both. The first rank, or the sender, finds the price.
  void Begin(const CollectiveCall& call) override;

  // For checkpoints, at a cut. What is loaded is checked: ExpectState().
  void Save(StateWriter* to) const;
  /// Loads what Save() wrote, the agent included. Throws UserError "the saved state has ...".
  void Load(StateReader* from);

 private:
  using Report = CollectiveReport;
  using Role = CollectiveReport::Role;
  /// A collective that some of its ranks have begun.
  struct Meeting {
    Time latest;  ///< begin so far; of a message, also when it has arrived
    Time price;
    std::uint32_t begun = 0;    ///< ranks
    std::vector<NodeId> nodes;  ///< of these; of a message, the receiver's
    bool streams = false;       ///< it is a stream, whose end is not known

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& latest& price& begun& nodes& streams;
    }
  };
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>;

  /// Sends a report to the domain of `to`, which may be this one.
  void Send(NodeId to, Report::Kind kind, Time time, const Report& report);
  /// Counts a begin in its meeting, which ends with the last one.
  void Meet(const Report& report);
  /// Ends the collective at the latest begin plus the price, once all ranks have begun.
  void MeetMember(const Report& report, Meeting* meeting);
  /// Ends a message: the sender its price after its begin, the receiver then or at its own begin.
  void MeetMessage(const Report& report, Meeting* meeting);
  /// Asks the domain of streams for the end of what may go at `when`.
  void Stream(Report report, Time when, Meeting* meeting);
  /// Ends a collective, or a message, whose stream has ended.
  void MeetStream(const Report& report);
  /// Reports the end `when` to a rank, which gets it then, or as soon as a report can arrive.
  void SendEnd(NodeId node, Time when, Report report);
  /// Checks the report of a loaded event. Throws UserError "the saved state has ...".
  void CheckReport(const Event& event) const;

  const AnalyticalRun& run_;
  FlowAgent* agent_ = nullptr;
  bool running_ = false;
  Time now_;
  std::map<Key, Meeting> meetings_;  ///< of collectives whose first rank is here
};

}  // namespace heddle
