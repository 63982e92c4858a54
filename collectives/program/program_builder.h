// SPDX-License-Identifier: GPL-2.0-only
/// Builds a program: first the operations that all stages share, then the steps of each stage.
///
/// Omits what has no effect: operations without bytes or of groups of one rank, and computing that
/// takes no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

  /// Counts the layers of the workload.
  std::uint32_t layers() const { return static_cast<std::uint32_t>(workload_.layers.size()); }
  /// Counts the operations added so far.
  std::uint32_t ops() const { return static_cast<std::uint32_t>(program_.ops.size()); }
  /// Returns the operations added so far.
  const std::vector<ProgramOp>& program_ops() const { return program_.ops; }
  /// Returns a layer of the workload.
  const Layer& layer(std::uint32_t number) const { return workload_.layers[number]; }
  /// Returns what the file says of a layer in a phase.
  const LayerPhase& phase(std::uint32_t layer, Phase phase) const;

  /// Adds a layer's collective; returns its number, or kNoOp.
  std::uint32_t AddOp(std::uint32_t layer, Phase phase, std::uint32_t micro_batch = 0);
  /// Adds another communication than the one in the file; `what` says its group and bytes.
  std::uint32_t AddOp(std::uint32_t layer, Phase phase, const LayerPhase& what,
                      std::uint32_t micro_batch);
  /// Gives a collective the highest priority.
  void PutFirst(std::uint32_t op);
  /// Adds a message of pp_comm bytes, at least 1, from every rank of stage `from` to its peer in
  /// stage `to`; returns its number, or kNoOp if there is one stage.
  std::uint32_t AddMessage(std::uint32_t layer, Phase phase, std::uint32_t micro_batch,
                           std::uint32_t from, std::uint32_t to);
  /// Adds a message of another size.
  std::uint32_t AddMessage(std::uint32_t layer, Phase phase, std::uint32_t micro_batch,
                           std::uint32_t from, std::uint32_t to, std::int64_t bytes);
  /// Sets which stages do a collective; nothing for kNoOp.
  void SetStages(std::uint32_t op, StageRange stages);

  /// Notes what the order of the stages is called.
  void SetSchedule(const std::string& name) { program_.schedule = name; }
  /// Later steps belong to the next stage.
  void BeginStage() { program_.steps.emplace_back(); }
  /// Adds the computing of a layer and phase to the stage; nothing if it takes no time.
  void Compute(std::uint32_t layer, Phase phase);
  /// Adds a change of state: 1 ns, as in SimAI.
  void Pause();
  /// Adds a step that issues `op` and waits for it; nothing for kNoOp.
  void Blocking(std::uint32_t op) { Communicate(ProgramStep::Kind::kBlocking, op); }
  /// Adds a step that issues `op` and goes on; nothing for kNoOp.
  void Overlapped(std::uint32_t op) { Communicate(ProgramStep::Kind::kOverlapped, op); }
  /// Adds a step that waits for `op`, which may be of the pass before; nothing for kNoOp.
  void Wait(std::uint32_t op) { Communicate(ProgramStep::Kind::kWait, op); }

  /// Counts the steps of the stage begun last.
  std::size_t steps() const { return program_.steps.back().size(); }
  /// Takes the stage's steps from number `first` on away, and returns them.
  std::vector<ProgramStep> CutFrom(std::size_t first);
  /// Adds steps to the stage begun last.
  void Append(const std::vector<ProgramStep>& steps);

  /// Returns the program and leaves none. `passes` >= 1. Throws UserError if the program cannot run
  /// so often: operation numbers or time would overflow.
  Program Take(std::uint32_t passes);

 private:
  /// Adds a step of this kind with the operation's layer and phase; nothing for kNoOp.
  void Communicate(ProgramStep::Kind kind, std::uint32_t op);
  /// Appends to the stage begun last.
  void Add(const ProgramStep& step);
  /// Throws UserError if all stages together would compute for more than half of the range of Time.
  void CheckTime() const;

  const Workload& workload_;
  const ParallelGroups& groups_;
  Program program_;
};

}  // namespace heddle
