// SPDX-License-Identifier: GPL-2.0-only
/// The analytical backend: programs of GPUs run as with packets, and every collective takes the
/// time that a closed form gives it. Seconds instead of minutes; no queue, no collision, no flow.
///
/// Source of the idea: SimAI's analytical mode, which computes a step from the same closed forms
/// but sums it without running programs (docs/models/analytical.md).
#pragma once

#include <memory>
#include <vector>

#include "transport/run/backends/backend.h"
#include "transport/run/backends/backend_input.h"
#include "transport/run/whole/analytical_domain.h"

namespace heddle {

class AnalyticalBackend : public Backend {
 public:
  /// `input.prices` must not be null, and must outlive the backend. Throws UserError for link
  /// failures, which no closed form knows.
  explicit AnalyticalBackend(const BackendInput& input);

  /// Attaches an agent to each domain of this rank; agents begin collectives at once.
  void Drive(FlowDriver* driver) override;
  bool carries_collectives() const override { return true; }
  const Routes& routes() const override { return routes_; }
  /// Names the closed forms that give the prices.
  std::string Describe() const override { return run_.prices->Describe(); }

  PostOffice& post_office() override { return post_office_; }
  /// Returns the time that a report between domains takes, 100 ns.
  Time Lookahead() const override { return AnalyticalDomain::kReport; }
  /// Returns all other ranks: a collective may have its first rank on any of them.
  std::vector<RankId> NeighbourRanks() const override { return neighbours_; }

  std::uint32_t domains() const override { return static_cast<std::uint32_t>(domains_.size()); }
  /// Returns the reports and wake-ups of this rank's domains.
  std::uint64_t events() const override;
  /// Returns the time of the latest event of this rank's domains.
  Time now() const override;
  /// Adds the memory of this rank's domains and of its post office.
  void AddMemory(MemoryAccount* account) const override;

  /// Saves a piece a domain, with all inboxes emptied before.
  void SavePieces(PieceWriter* to) override;
  /// Loads a piece a domain, and makes the post office ready.
  void LoadPieces(CheckpointPieces* from) override;

 protected:
  /// The same, with `streams`, if it is valid, as a further domain at the root, after those of
  /// hosts.
  AnalyticalBackend(const BackendInput& input, DomainId streams);
  const AnalyticalRun& run() const { return run_; }

 private:
  AnalyticalRun run_;
  Routes routes_;
  std::vector<std::vector<NodeId>> nodes_;  ///< by domain
  std::vector<RankId> neighbours_;
  PostOffice post_office_;
  std::vector<std::unique_ptr<AnalyticalDomain>> domains_;  ///< of this rank
};

}  // namespace heddle
