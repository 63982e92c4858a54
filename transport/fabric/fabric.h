// SPDX-License-Identifier: GPL-2.0-only
/// The fabric of one rank: its domains, ready to run, and what they found when they have run.
#ifndef HEDDLE_TRANSPORT_FABRIC_FABRIC_H_
#define HEDDLE_TRANSPORT_FABRIC_FABRIC_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/checkpoint/checkpoint.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"
#include "topology/routes/path_metrics.h"
#include "transport/controller/central_controller.h"
#include "transport/domain/fabric_domain.h"

namespace heddle {

/// The cut as the transport needs it (`partition` makes it; transport does not depend on
/// partition).
struct FabricLayout {
  std::vector<DomainId> domain_of;         ///< by node
  std::vector<std::vector<NodeId>> nodes;  ///< by domain, ascending
  std::vector<RankId> rank_of;             ///< by domain
};

class Fabric {
 public:
  /// Builds the domains of rank `here`. `graph` must outlive the fabric. `failures`: of links,
  /// expanded and sorted (topology/routes/failures.h). Throws UserError, for one if a rate is
  /// missing from the ECN tables.
  Fabric(const Graph& graph, const TransportOptions& options, const FabricLayout& layout,
         RankId here, std::uint32_t ranks, std::uint64_t seed = 1,
         const std::vector<LinkEvent>& failures = {});

  /// Take a plan of all flows; keeps those of this rank. Fills in window and ideal time.
  /// Throws UserError if there is no path between a flow's ends, naming them.
  void Plan(std::vector<PlannedFlow> flows);

  /// Let the driver's agents post flows while the simulation runs; instead of Plan(). `driver` must
  /// outlive the fabric.
  void Drive(FlowDriver* driver);
  /// The largest window in which no domain can hear of another: the smallest delay of a link
  /// between domains, or what the driver's notices and the control network need if that is less.
  /// Known after Plan() or Drive().
  Time Lookahead() const { return context_.lookahead; }
  /// Whether messages within a side of the fabric's domains (TwoSides) take two lookaheads, so that
  /// sides may run in turn.
  bool two_sides() const { return !context_.sides.empty(); }
  /// Which of the flows that finish are kept one by one (the default: all). Of the others there are
  /// statistics and the digest.
  void RecordFlows(FlowSample sample) { context_.sample = sample; }
  /// Whether agents post the flows.
  bool driven() const { return driven_; }
  /// That domains count their notices, which takes time (FabricDomain::notices_sent).
  void CountNotices() { context_.counts_notices = true; }
  /// Of all flows of this rank's domains, finished or not, kept or not: the sum over ranks does not
  /// depend on the cut.
  std::uint64_t flow_digest() const;

  // Checkpoints (fabric_state.cc). An index is into post_office().domains(): the domains of this
  // rank, then the controller.

  /// The state of one domain and of its agent, at a cut only, once all inboxes are empty. Flows
  /// that were not taken (TakeFlows) are in; samples of monitors must have been taken, they are
  /// left out.
  void Save(std::size_t index, StateWriter* to) const;
  /// Takes over what Save() wrote for the domain of this id, in a fabric that was made of the same
  /// inputs and has not run. Throws UserError if it does not fit.
  void Load(std::size_t index, StateReader* from);
  /// When all domains are loaded, before the engine runs.
  void Resume() { post_office_.Resume(); }
  /// All domains of this rank, a piece each; and back, Resume() included.
  void SavePieces(PieceWriter* to);
  void LoadPieces(CheckpointPieces* from);

  PostOffice& post_office() { return post_office_; }
  const std::vector<std::unique_ptr<FabricDomain>>& domains() const { return domains_; }
  /// At the root if there is one at all; else null.
  const CentralController* controller() const { return controller_.get(); }
  /// With all links up.
  const Routes& routes() const { return *context_.epochs[0].routes; }
  const FabricContext& context() const { return context_; }
  const PathMetrics& metrics() const { return metrics_; }
  /// Ranks that this one exchanges messages with, ascending.
  std::vector<RankId> NeighbourRanks() const;

  /// This rank's books, summed over its domains.
  DomainBooks Books() const;
  std::uint64_t events() const;
  /// Time of the last event of this rank (FabricDomain::now).
  Time now() const;
  /// What its domains, messages and routes have allocated on this rank.
  void AddMemory(MemoryAccount* account) const;

 private:
  void PlanFaults(const std::vector<LinkEvent>& failures);
  /// `messages`: in a row within one latency of the controller, 2 where a notice comes before the
  /// question.
  void SetLookahead(Time lookahead, int messages);
  /// Divides the post office, if links join different sides only, and notices within a side take
  /// `notice_delay`, long enough.
  void FindSides(Time notice_delay);
  void OpenPostOffice();
  /// That switches can do with the rates that links will have; throws UserError before the run, not
  /// within.
  void CheckRates(const std::vector<LinkEvent>& failures) const;

  const Graph& graph_;
  FabricLayout layout_;
  RankId here_;
  bool driven_ = false;
  PathMetrics metrics_;
  FabricContext context_;
  PostOffice post_office_;
  std::vector<std::unique_ptr<FabricDomain>> domains_;
  std::unique_ptr<CentralController> controller_;
};

/// Sum the books over all ranks and compare with what is counted in flight. Collective, at a cut
/// only.
/// Throws SharedError (exit code 5) with the figures if bytes or packets were lost or made.
DomainBooks CheckConservation(const Communicator& world, Fabric& fabric);

/// That every path which the controller holds belongs to a flow that has not ended. When nothing is
/// under way only. Collective. Throws SharedError (exit code 5) with the figures if not.
void CheckHeldPaths(const Communicator& world, const Fabric& fabric);

/// All flows in canonical order (source, number), finished or not, at the root; empty on other
/// ranks. Without those that TakeFlows() (transport/fabric/flow_tables.h) took. Collective.
Table GatherFlows(const Communicator& world, const Fabric& fabric);

/// Drops by port and reason, in order of (node, port, reason), at the root. Collective.
Table GatherDrops(const Communicator& world, const Fabric& fabric);

/// Totals of every port that sent or was paused, in order of (node, port), at the root. Collective.
Table GatherPorts(const Communicator& world, const Fabric& fabric);

/// Statistics of all finished flows, whichever are kept: /flow_sizes, /slowdown_histogram,
/// /fct_histogram, at the root; empty on other ranks. Collective.
std::vector<Table> GatherFlowStatistics(const Communicator& world, const Fabric& fabric);

/// What tiers of links carried over time (/tier_load), at the root. Collective.
Table GatherTierLoad(const Communicator& world, const Fabric& fabric);

/// Where pauses began, the worst first, at the root. Collective.
Table GatherPauseCauses(const Communicator& world, const Fabric& fabric);

/// The cycle of paused ports that wait for each other, spelled out; empty if there is none. At the
/// root. Collective.
std::string FindDeadlock(const Communicator& world, const Fabric& fabric);

/// This rank's samples until `time`, each table in the order of the key columns below; tables
/// without rows included.
std::vector<Table> TakeMonitorTables(const Fabric& fabric, Time time);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_FABRIC_FABRIC_H_
