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
  /// Builds the fabric. Throws UserError as Fabric does; `input.prices` is not used.
  explicit PacketBackend(const BackendInput& input);

  void CheckFlows(const std::vector<FlowRequest>& flows) const override {
    fabric_.CheckFlows(flows);
  }
  void Drive(FlowDriver* driver) override { fabric_.Drive(driver); }
  MessageSplit split() const override { return fabric_.context().options.split(); }
  bool carries_collectives() const override { return false; }
  std::string FasterWith() const override { return "--backend flow (messages as fluids)"; }
  void RecordFlows(FlowSample sample) override { fabric_.RecordFlows(sample); }
  /// Makes domains count their notices; packets are counted anyway.
  void CountStreams() override { fabric_.CountNotices(); }

  PostOffice& post_office() override { return fabric_.post_office(); }
  Time Lookahead() const override { return fabric_.Lookahead(); }
  bool two_sides() const override { return fabric_.two_sides(); }
  std::vector<RankId> NeighbourRanks() const override { return fabric_.NeighbourRanks(); }

  /// Runs the fabric, ends all replays, and sums over ranks what was replayed. Collective.
  EngineReport Run(EngineKind kind, const Communicator& world, EngineSetup setup) override;
  /// Returns this rank's domains, without the controller.
  std::uint32_t domains() const override;
  std::uint64_t events() const override { return fabric_.events(); }
  Time now() const override { return fabric_.now(); }
  DomainBooks Books() const override { return fabric_.Books(); }
  std::uint64_t flow_digest() const override { return fabric_.flow_digest(); }
  /// Estimates the bytes of full packets and of an ACK for each.
  std::int64_t ReceivedBytesOf(Bytes payload) const override;
  /// Returns packets and notices, without messages to and from the controller.
  std::vector<DomainStream> Streams() const override;

  DomainBooks CheckConservation(const Communicator& world) override;
  /// Checks that the controller holds no path of a flow that has ended.
  void CheckEnd(const Communicator& world) const override { CheckHeldPaths(world, fabric_); }
  /// Describes a cycle of paused ports; empty if there is none.
  std::string FindDeadlock(const Communicator& world) const override;

  std::vector<FlowLists> NewFlows() const override;
  void DropFlows() override;
  std::vector<FlowRecord> OpenFlows() const override;
  /// Returns rows with the columns of collectives and requests, as far as the run has them.
  std::vector<Table> FlowRows(const FlowRecords& records) const override;
  Table GatherFlows(const Communicator& world, const FlowRecords& mine) const override;
  std::vector<Table> TakeSamples(TrafficEnd end, bool is_end) override;
  /// Returns drops, ports, pauses, the controller's tables, statistics and load of tiers.
  /// Collective.
  TotalTables GatherTotals(const Communicator& world) const override;

  /// Whether engine.replay is on, and nothing rules replays out.
  bool replays() const override {
    return fabric_.context().options.replay.on() && fabric_.WhyNoReplay().empty();
  }

  const Routes& routes() const override { return fabric_.routes(); }
  /// Estimates packet-hops, events and time, for Ethernet and scale-up links each by its own
  /// factors.
  TrafficCost CostOf(const TrafficWalk& traffic) const override;
  /// Estimates the growth from open flows and their packets in flight (GrowthOfPackets).
  MemoryAccount GrowthOf(const OpenTraffic& open) const override;
  void AddMemory(MemoryAccount* account) const override { fabric_.AddMemory(account); }

  /// Describes protocols, congestion control, ECN by rate, paths and controller, a line each.
  std::string Describe() const override;
  /// Summarises the controller, if there is one, and what was replayed.
  std::string Summary() const override;
  /// Returns the outcome of all ranks, after Run(); none if replays() is false.
  std::optional<ReplayOutcome> replayed() const override;

  void SavePieces(PieceWriter* to) override { fabric_.SavePieces(to); }
  void LoadPieces(CheckpointPieces* from) override { fabric_.LoadPieces(from); }

 private:
  /// Returns one line on what was replayed, or on why nothing was; empty if engine.replay is off.
  std::string SummarizeReplay() const;

  Fabric fabric_;
  ReplayFigures replayed_;  ///< of all ranks, after the run
  std::int64_t replayed_hops_of_ = 0;
};

}  // namespace heddle
