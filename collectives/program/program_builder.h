// SPDX-License-Identifier: GPL-2.0-only
/// Builds a program: first the operations that all stages share, then the steps of each stage.
///
/// Omits what has no effect: operations without bytes or of groups of one rank, and computing that
/// takes no time.
#pragma once

#include <cstdint>

#include "collectives/program/groups.h"
#include "collectives/program/program.h"
#include "core/traffic/workload.h"

namespace heddle {

class ProgramBuilder {
 public:
  /// Stands for an omitted operation.
  static constexpr std::uint32_t kNoOp = ~0U;

  /// `workload` and `groups` must outlive it.
  ProgramBuilder(const Workload& workload, const ParallelGroups& groups)
      : workload_(workload), groups_(groups) {}

  std::uint32_t layers() const { return static_cast<std::uint32_t>(workload_.layers.size()); }
  std::uint32_t ops() const { return static_cast<std::uint32_t>(program_.ops.size()); }
  const LayerPhase& phase(std::uint32_t layer, Phase phase) const;

  /// Adds a layer's collective; returns its number, or kNoOp.
  std::uint32_t AddOp(std::uint32_t layer, Phase phase, std::uint32_t micro_batch = 0);
  /// The same with another communication than the one in the file.
  std::uint32_t AddOp(std::uint32_t layer, Phase phase, const LayerPhase& what,
                      std::uint32_t micro_batch);
  /// Gives a collective the highest priority.
  void PutFirst(std::uint32_t op);
  /// Adds a message from every rank of stage `from` to its peer in stage `to`.
  std::uint32_t AddMessage(std::uint32_t layer, Phase phase, std::uint32_t micro_batch,
                           std::uint32_t from, std::uint32_t to);

  /// Later steps belong to the next stage.
  void BeginStage() { program_.steps.emplace_back(); }
  void Compute(std::uint32_t layer, Phase phase);
  /// A change of state: 1 ns, as in SimAI.
  void Pause();
  void Blocking(std::uint32_t op) { Communicate(ProgramStep::Kind::kBlocking, op); }
  void Overlapped(std::uint32_t op) { Communicate(ProgramStep::Kind::kOverlapped, op); }
  void Wait(std::uint32_t op) { Communicate(ProgramStep::Kind::kWait, op); }

  /// Throws UserError if the program cannot run `passes` times: operation numbers or time would
  /// overflow.
  Program Take(std::uint32_t passes);

 private:
  void Communicate(ProgramStep::Kind kind, std::uint32_t op);
  void Add(const ProgramStep& step);
  /// Checks that no clock of the program overflows.
  void CheckTime() const;

  const Workload& workload_;
  const ParallelGroups& groups_;
  Program program_;
};

}  // namespace heddle
