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

  void CheckFlows(const std::vector<FlowRequest>& /*flows*/) const override {}
  void Drive(FlowDriver* driver) override;
  bool carries_collectives() const override { return false; }
  void RecordFlows(FlowSample sample) override { sample_ = sample; }
  const Routes& routes() const override { return routes_; }
  bool measures() const override { return true; }
  std::string Describe() const override;

  EngineReport Run(EngineKind kind, const Communicator& world, EngineSetup setup) override;

  std::uint32_t domains() const override { return 1; }
  std::uint64_t events() const override;
  Time now() const override;
  std::string WaitsFor() const override;
  DomainBooks Books() const override { return books_; }
  std::uint64_t flow_digest() const override { return ledger_.digest(); }
  std::int64_t ReceivedBytesOf(Bytes payload) const override { return payload.count; }
  DomainBooks CheckConservation(const Communicator& world) override;
  void CheckEnd(const Communicator& world) const override;

  std::vector<FlowLists> NewFlows() const override;
  void DropFlows() override;
  std::vector<Table> FlowRows(const FlowRecords& records) const override;
  Table GatherFlows(const Communicator& world, const FlowRecords& mine) const override;
  std::vector<RunFact> RunFacts() const override;
  std::string Summary() const override;
  TotalTables GatherTotals(const Communicator& world) const override;

  TrafficCost CostOf(const TrafficWalk& traffic) const override;
  MemoryAccount GrowthOf(const OpenTraffic& open) const override;
  void AddMemory(MemoryAccount* account) const override;

 private:
  /// Adds to the error of a run that is told to end what this rank waits for.
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
