// SPDX-License-Identifier: GPL-2.0-only
/// The fabric of one rank: its domains before the run and their results after it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "core/checkpoint/checkpoint.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "topology/paths/path_metrics.h"
#include "transport/domain/state/fabric_context.h"
#include "transport/domain/state/ideal_time.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/replay/replay_figures.h"
#include "transport/run/fabric/traffic_end.h"

namespace heddle {

class CentralController;
class EpisodeMemo;
class FabricDomain;

/// The partition as transport needs it (folder partition/ makes it; transport does not depend on
/// that).
struct FabricLayout {
  std::vector<DomainId> domain_of;         ///< by node
  std::vector<std::vector<NodeId>> nodes;  ///< by domain, ascending
  std::vector<RankId> rank_of;             ///< by domain
};

class Fabric {
 public:
  /// Builds the domains of rank `here`. `graph` must outlive the fabric. `failures` of links are
  /// expanded and sorted (topology/routes/failures.h). Throws UserError, for example if the ECN
  /// tables lack a rate.
  Fabric(const Graph& graph, const TransportOptions& options, const FabricLayout& layout,
         RankId here, std::uint32_t ranks, std::uint64_t seed = 1,
         const std::vector<LinkEvent>& failures = {});
  /// Defined where the types of its members are complete.
  ~Fabric();

  /// Checks the flows of a trace. Throws UserError, naming the first flow that has no path, or more
  /// bytes than its queue pairs can count.
  void CheckFlows(const std::vector<FlowRequest>& flows) const;

  /// Lets the driver's agents post flows while the simulation runs. `driver` must outlive the
  /// fabric.
  void Drive(FlowDriver* driver);
  /// Returns the largest window in which no message can reach another domain: the smallest delay of
  /// a link between domains, or less if the driver's notices or the control network require it.
  /// Known after Drive().
  Time Lookahead() const { return context_.lookahead; }
  /// Whether messages within a side of the fabric (TwoSides) take two lookaheads, so that the sides
  /// may run in turn.
  bool two_sides() const { return !context_.sides.empty(); }
  /// Sets which finished flows get a record of their own (default: all). The other flows are only
  /// in the statistics and the digest.
  void RecordFlows(FlowSample sample) { context_.sample = sample; }
  /// Whether flows have a FlowOrigin (FlowDriver::origins).
  bool origins() const { return origins_; }
  /// Makes domains count their notices, which takes time (FabricDomain::notices_sent).
  void CountNotices() { context_.counts_notices = true; }
  /// Returns the digest of all flows of this rank's domains, finished or not, with or without a
  /// record. Its sum over ranks does not depend on the partition.
  std::uint64_t flow_digest() const;

  // Checkpoints (fabric_state.cc). `index` is into post_office().domains(): the domains of this
  // rank, then the controller.

  /// Saves the state of one domain and its agent. At a cut only, with all inboxes empty. Includes
  /// flows that DropFlows() has not dropped; excludes samples of monitors, which must have been
  /// taken before.
  void Save(std::size_t index, StateWriter* to) const;
  /// Loads what Save() wrote for the domain of this id. The fabric must be made of the same inputs
  /// and must not have run. Throws UserError if the state does not fit.
  void Load(std::size_t index, StateReader* from);
  /// Makes the post office ready. Called when all domains are loaded, before the engine runs.
  void Resume() { post_office_.Resume(); }
  /// Saves all domains of this rank, one piece each, after Settle().
  void SavePieces(PieceWriter* to);
  /// Loads what SavePieces() wrote, then calls Resume().
  void LoadPieces(CheckpointPieces* from);

  /// Returns the exchange between the domains of this rank and with other ranks.
  PostOffice& post_office() { return post_office_; }
  /// Returns the domains of this rank, ascending.
  const std::vector<std::unique_ptr<FabricDomain>>& domains() const { return domains_; }
  /// Returns the controller at the root; null on other ranks or without a controller.
  const CentralController* controller() const { return controller_.get(); }
  /// Returns the routes with all links up.
  const Routes& routes() const { return *context_.epochs[0].routes; }
  const FabricContext& context() const { return context_; }  ///< final after Drive()
  /// Returns delays and bandwidth-delay products of pairs of GPUs, with all links up.
  const PathMetrics& metrics() const { return metrics_; }
  /// Returns how many packets and notices each domain of this rank sent to each other domain, by
  /// (from, to).
  std::map<std::pair<DomainId, DomainId>, double> MessagesSent() const;
  /// Returns the ranks that this one exchanges messages with, ascending.
  std::vector<RankId> NeighbourRanks() const;

  /// Replays episodes of islands that repeat, from now on. Before the first event only.
  void Replay();
  /// Returns why Replay() does nothing, whatever engine.replay is; empty if it does something.
  std::string WhyNoReplay() const;
  /// Ends all replays at a cut, so that all flows, ports and totals are as if nothing had been
  /// replayed. What repeats later is replayed again.
  void Settle() const;
  /// Returns the figures of this rank's domains, summed.
  ReplayFigures replay_figures() const;
  /// Returns this rank's books, summed over its domains.
  DomainBooks Books() const;
  /// Returns the events run by this rank's domains and the controller.
  std::uint64_t events() const;
  /// Returns the time of the last event of this rank (FabricDomain::now).
  Time now() const;
  /// Adds the memory of domains, messages and routes on this rank.
  void AddMemory(MemoryAccount* account) const;

 private:
  /// Fills the context's routes by epoch, places, capacities and instants at which links change.
  void PlanFaults(const std::vector<LinkEvent>& failures);
  /// Sets the lookahead, and how long hosts hold back requests to the controller. `messages`: how
  /// many messages must fit one after the other in one latency of the controller; 2 if a notice
  /// precedes the request.
  void SetLookahead(Time lookahead, int messages);
  /// Divides the post office into sides if all links join different sides and `notice_delay`, the
  /// delay of notices within a side, is long enough.
  void FindSides(Time notice_delay);
  /// Adds the domains and the controller to the post office.
  void OpenPostOffice();
  /// Checks that switches support all rates that links will have. Throws UserError before the run,
  /// rather than during it.
  void CheckRates(const std::vector<LinkEvent>& failures) const;

  const Graph& graph_;
  FabricLayout layout_;
  RankId here_;
  bool origins_ = false;
  PathMetrics metrics_;
  std::optional<IdealTimes> ideal_times_;  ///< after the routes of the failures
  FabricContext context_;
  PostOffice post_office_;
  std::unique_ptr<EpisodeMemo> memo_;  ///< null: nothing is replayed
  std::vector<std::unique_ptr<FabricDomain>> domains_;
  std::unique_ptr<CentralController> controller_;
};

/// Sums the books over all ranks and compares them with what is in flight. Collective, at a cut
/// only. Throws SharedError (exit code 5) with the figures if bytes or packets were lost or
/// duplicated.
DomainBooks CheckConservation(const Communicator& world, Fabric& fabric);

/// Checks that every path held by the controller belongs to a flow that has not ended. Only when
/// nothing is in flight. Collective. Throws SharedError (exit code 5) with the figures if not.
void CheckHeldPaths(const Communicator& world, const Fabric& fabric);

/// Returns all flows in canonical order (source, number), finished or not, at the root; empty on
/// other ranks. Excludes flows that DropFlows() (transport/run/fabric/flow_tables.h) dropped.
/// Collective.
Table GatherFlows(const Communicator& world, const Fabric& fabric);

/// Returns drops by port and reason, in order of (node, port, reason), at the root. Collective.
Table GatherDrops(const Communicator& world, const Fabric& fabric);

/// Returns totals of every port that sent or was paused, in order of (node, port), at the root.
/// Collective.
Table GatherPorts(const Communicator& world, const Fabric& fabric);

/// Returns statistics of all finished flows, with or without a record: /flow_sizes,
/// /slowdown_histogram, /fct_histogram, at the root; empty on other ranks. Collective.
std::vector<Table> GatherFlowStatistics(const Communicator& world, const Fabric& fabric);

/// Returns the bytes carried by each tier of links over time (/tier_load), at the root. Collective.
Table GatherTierLoad(const Communicator& world, const Fabric& fabric);

/// Returns the ports where pauses began, the longest pauses first, at the root. Collective.
Table GatherPauseCauses(const Communicator& world, const Fabric& fabric);

/// Describes a cycle of paused ports that wait for each other; empty if there is none. At the root.
/// Collective.
std::string FindDeadlock(const Communicator& world, const Fabric& fabric);

/// Takes this rank's samples of times before `end`, each table in the order of its key columns;
/// tables without rows are included. At a cut only. `is_end`: nothing is sent any more; the last
/// samples are taken at `end`, and all are returned.
std::vector<Table> TakeMonitorTables(const Fabric& fabric, TrafficEnd end, bool is_end);

}  // namespace heddle
