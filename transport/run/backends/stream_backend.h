// SPDX-License-Identifier: GPL-2.0-only
/// Fluids of the coarse grain (flow.detail=streams): programs and prices of the analytical backend,
/// but collectives share the links on their messages' paths (docs/models/flow.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/run/backends/analytical_backend.h"
#include "transport/run/fabric/record_tables.h"
#include "transport/run/flow/fluid_run.h"
#include "transport/run/whole/stream_domain.h"

namespace heddle {

class StreamBackend final : public AnalyticalBackend {
 public:
  /// `input.prices` must have loads(). Throws UserError for what fluids do not know, and for link
  /// failures.
  explicit StreamBackend(const BackendInput& input);

  void Drive(FlowDriver* driver) override;
  std::string Describe() const override;
  /// No: equal groups have other paths and neighbours.
  bool shapes_take_equal_times() const override { return false; }

  std::uint32_t domains() const override;
  std::uint64_t events() const override;
  Time now() const override;
  /// Counts full packets over cables, for the bytes that collectives have sent so far.
  DomainBooks Books() const override;
  /// Returns the same of all ranks.
  DomainBooks CheckConservation(const Communicator& world) override;
  /// The ports of cables that collectives used, beside the tables of the base.
  TotalTables GatherTotals(const Communicator& world) const override;
  /// How often shares were computed, and the links that held collectives up. At the root.
  std::string Summary() const override;
  void AddMemory(MemoryAccount* account) const override;

  void SavePieces(PieceWriter* to) override;
  void LoadPieces(CheckpointPieces* from) override;

 private:
  std::vector<PortRow> PortRows() const;
  std::string NameOf(std::uint32_t link) const;

  const Graph& graph_;
  FluidRun fluids_;
  StreamRun streams_run_;
  std::unique_ptr<StreamDomain> streams_;  ///< at the root
};

}  // namespace heddle
