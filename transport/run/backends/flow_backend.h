// SPDX-License-Identifier: GPL-2.0-only
/// The flow backend: messages as fluids that share links max-min fairly, instead of packets.
///
/// Programs, schedules, connections, paths and records are those of packets; rates take the place
/// of queues (docs/models/flow.md). Hosts are in the domains of the partition, all fluids in one
/// domain of rank 0 (transport/run/flow/fluid_domain.h).
///
/// Not modelled: see FluidDomain. What cannot be carried as a fluid is refused by its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/run/backends/backend.h"
#include "transport/run/backends/backend_input.h"
#include "transport/run/fabric/record_tables.h"
#include "transport/run/flow/fluid_domain.h"
#include "transport/run/flow/fluid_host.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

class FlowBackend final : public Backend {
 public:
  /// Throws UserError for what fluids do not know: scale-up links, switches that
  /// add, Ultra Ethernet, requests, the central controller, monitors, links that lose packets.
  explicit FlowBackend(const BackendInput& input);

  void CheckFlows(const std::vector<FlowRequest>& flows) const override;
  void Drive(FlowDriver* driver) override;
  bool carries_collectives() const override { return false; }
  std::string FasterWith() const override {
    return "--set flow.detail=streams (whole collectives as fluids)";
  }
  MessageSplit split() const override { return run_.split; }
  void RecordFlows(FlowSample sample) override { run_.sample = sample; }
  const Routes& routes() const override { return routes_; }
  std::string Describe() const override;

  PostOffice& post_office() override { return post_office_; }
  Time Lookahead() const override { return run_.lag; }
  std::vector<RankId> NeighbourRanks() const override;

  std::uint32_t domains() const override;
  std::uint64_t events() const override;
  Time now() const override { return fluids_ ? fluids_->now() : Time{0}; }
  DomainBooks Books() const override { return fluids_ ? fluids_->books() : DomainBooks(); }
  std::uint64_t flow_digest() const override;
  std::int64_t ReceivedBytesOf(Bytes payload) const override { return payload.count; }
  DomainBooks CheckConservation(const Communicator& world) override;
  void CheckEnd(const Communicator& world) const override;

  std::vector<FlowLists> NewFlows() const override;
  void DropFlows() override;
  std::vector<FlowRecord> OpenFlows() const override;
  std::vector<Table> FlowRows(const FlowRecords& records) const override;
  Table GatherFlows(const Communicator& world, const FlowRecords& mine) const override;
  TotalTables GatherTotals(const Communicator& world) const override;
  std::string Summary() const override;

  TrafficCost CostOf(const TrafficWalk& traffic) const override;
  MemoryAccount GrowthOf(const OpenTraffic& open) const override;
  void AddMemory(MemoryAccount* account) const override;

  void SavePieces(PieceWriter* to) override;
  void LoadPieces(CheckpointPieces* from) override;

 private:
  std::vector<PortRow> PortRows() const;
  std::string Congestion() const;

  const Graph& graph_;
  Routes routes_;
  PathMetrics metrics_;
  FluidRun run_;
  TransportOptions transport_;
  RankId here_;
  std::uint32_t ranks_;
  std::vector<std::vector<NodeId>> nodes_;  ///< by domain
  bool origins_ = true;
  PostOffice post_office_;
  std::vector<std::unique_ptr<FluidHost>> hosts_;  ///< of this rank
  std::unique_ptr<FluidDomain> fluids_;            ///< at the root
};

}  // namespace heddle
