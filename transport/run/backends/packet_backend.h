// SPDX-License-Identifier: GPL-2.0-only
/// The backend `packet`: the fabric of transport/run/fabric, which simulates every packet at every
/// port.
#pragma once

#include <string>
#include <vector>

#include "transport/run/backends/backend.h"
#include "transport/run/backends/backend_input.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {

class PacketBackend final : public Backend {
 public:
  explicit PacketBackend(const BackendInput& input);

  void CheckFlows(const std::vector<FlowRequest>& flows) const override {
    fabric_.CheckFlows(flows);
  }
  void Drive(FlowDriver* driver) override { fabric_.Drive(driver); }
  MessageSplit split() const override { return fabric_.context().options.split(); }
  bool carries_collectives() const override { return false; }
  void RecordFlows(FlowSample sample) override { fabric_.RecordFlows(sample); }
  void CountStreams() override { fabric_.CountNotices(); }

  PostOffice& post_office() override { return fabric_.post_office(); }
  Time Lookahead() const override { return fabric_.Lookahead(); }
  bool two_sides() const override { return fabric_.two_sides(); }
  std::vector<RankId> NeighbourRanks() const override { return fabric_.NeighbourRanks(); }

  EngineReport Run(EngineKind kind, const Communicator& world, EngineSetup setup) override;
  std::uint32_t domains() const override;
  std::uint64_t events() const override { return fabric_.events(); }
  Time now() const override { return fabric_.now(); }
  DomainBooks Books() const override { return fabric_.Books(); }
  std::uint64_t flow_digest() const override { return fabric_.flow_digest(); }
  std::int64_t ReceivedBytesOf(Bytes payload) const override;
  std::vector<DomainStream> Streams() const override;

  DomainBooks CheckConservation(const Communicator& world) override;
  void CheckEnd(const Communicator& world) const override { CheckHeldPaths(world, fabric_); }
  std::string FindDeadlock(const Communicator& world) const override;

  std::vector<FlowLists> NewFlows() const override;
  void DropFlows() override;
  std::vector<FlowRecord> OpenFlows() const override;
  std::vector<Table> FlowRows(const FlowRecords& records) const override;
  Table GatherFlows(const Communicator& world, const FlowRecords& mine) const override;
  std::vector<Table> TakeSamples(TrafficEnd end, bool is_end) override;
  TotalTables GatherTotals(const Communicator& world) const override;

  bool replays() const override {
    return fabric_.context().options.replay.on() && fabric_.WhyNoReplay().empty();
  }

  const Routes& routes() const override { return fabric_.routes(); }
  TrafficCost CostOf(const TrafficWalk& traffic) const override;
  MemoryAccount GrowthOf(const OpenTraffic& open) const override;
  void AddMemory(MemoryAccount* account) const override { fabric_.AddMemory(account); }

  std::string Describe() const override;
  std::string Summary() const override;
  std::optional<ReplayOutcome> replayed() const override;

  void SavePieces(PieceWriter* to) override { fabric_.SavePieces(to); }
  void LoadPieces(CheckpointPieces* from) override { fabric_.LoadPieces(from); }

 private:
  std::string SummarizeReplay() const;

  Fabric fabric_;
  ReplayFigures replayed_;  ///< of all ranks, after the run
  std::int64_t replayed_hops_of_ = 0;
};

}  // namespace heddle
