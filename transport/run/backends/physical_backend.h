// SPDX-License-Identifier: GPL-2.0-only
/// The backend `physical`: the messages of schedules and traces are real ones, over MPI between
/// ranks that play the GPUs, and times are measured.
///
/// Agents, schedules, records and tables are those of the other backends; only the clock and the
/// carrier differ. There are no domains, no engine and no fabric: of the topology only who is in
/// which server counts (docs/models/physical.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/model/record/flow_ledger.h"
#include "transport/run/backends/backend.h"
#include "transport/run/backends/backend_input.h"
#include "transport/run/physical/due_posts.h"
#include "transport/run/physical/physical_options.h"
#include "transport/run/physical/real_clock.h"
#include "transport/run/physical/shared_clock.h"
#include "transport/run/physical/traffic_player.h"

namespace heddle {

class PhysicalRun;

class PhysicalBackend final : public Backend {
 public:
  /// The domains of `input` are the nodes that each rank plays, one domain a rank.
  explicit PhysicalBackend(const BackendInput& input);

  /// Accepts all flows: MPI connects any two ranks.
  void CheckFlows(const std::vector<FlowRequest>& /*flows*/) const override {}
  /// Attaches the agent of this rank's nodes; it posts to a queue until Run().
  void Drive(FlowDriver* driver) override;
  bool carries_collectives() const override { return false; }
  void RecordFlows(FlowSample sample) override { sample_ = sample; }
  const Routes& routes() const override { return routes_; }
  /// True: times are the machine's.
  bool measures() const override { return true; }
  /// Describes MPI's version and how computing passes, in one line.
  std::string Describe() const override;

  /// Plays the traffic in real time, between two alignments of the ranks' clocks. `kind` is not
  /// used. Collective. Throws Error with exit code 130 at SIGTERM.
  EngineReport Run(EngineKind kind, const Communicator& world, EngineSetup setup) override;

  /// Returns 1, the nodes that this rank plays.
  std::uint32_t domains() const override { return 1; }
  /// Returns the messages sent plus the messages received by this rank.
  std::uint64_t events() const override;
  /// Returns when this rank last handled a message or a wake-up, by the run's clock.
  Time now() const override;
  /// Returns what the driver waits for, else the messages that this rank has open.
  std::string WaitsFor() const override;
  DomainBooks Books() const override { return books_; }
  std::uint64_t flow_digest() const override { return ledger_.digest(); }
  /// Returns the payload: headers of the network are unknown.
  std::int64_t ReceivedBytesOf(Bytes payload) const override { return payload.count; }
  /// Returns the books of all ranks, summed. Messages may be under way, so nothing is compared.
  DomainBooks CheckConservation(const Communicator& world) override;
  /// Throws SharedError (exit code 5) unless all ranks have received the bytes that were sent.
  void CheckEnd(const Communicator& world) const override;

  /// Returns the rows of messages that this rank has received.
  std::vector<FlowLists> NewFlows() const override;
  void DropFlows() override;
  std::vector<Table> FlowRows(const FlowRecords& records) const override;
  Table GatherFlows(const Communicator& world, const FlowRecords& mine) const override;
  /// Returns the clocks' quality [ns] and the transport chosen for MPI; nothing before the run's
  /// end.
  std::vector<RunFact> RunFacts() const override;
  /// Summarises how well the clocks agree, and how many results were checked.
  std::string Summary() const override;
  /// Returns the statistics of flows; all tables of packets have no rows. Collective.
  TotalTables GatherTotals(const Communicator& world) const override;

  /// Counts flows and bytes; events and time are left 0.
  TrafficCost CostOf(const TrafficWalk& traffic) const override;
  /// Returns the memory that the contents of messages will need.
  MemoryAccount GrowthOf(const OpenTraffic& open) const override;
  /// Adds the ledger, and during the run the player and the contents.
  void AddMemory(MemoryAccount* account) const override;

 private:
  /// Runs the loop, and adds what this rank waits for to the error of a run that SIGTERM ends.
  EngineReport Play(PhysicalRun* run, const std::function<void()>& ended) const;

  PhysicalOptions options_;
  Routes routes_;
  RankId here_;
  std::uint32_t ranks_;
  std::vector<RankId> rank_of_;  ///< by node
  std::vector<NodeId> nodes_;    ///< that this rank plays
  RealClock clock_;
  DuePosts queue_;
  FlowDriver* driver_ = nullptr;
  FlowAgent* agent_ = nullptr;
  MessageContents* contents_ = nullptr;
  bool origins_ = true;
  FlowSample sample_;
  FlowLedger ledger_{&sample_};
  DomainBooks books_;
  std::unique_ptr<TrafficPlayer> player_;  ///< while the run goes on
  // Of all ranks, once the run has ended.
  MessageContents::Checked checked_;
  std::optional<ClockQuality> clocks_;
};

}  // namespace heddle
