// SPDX-License-Identifier: GPL-2.0-only
/// The program of one GPU as the list of steps of its pipeline stage (collectives/program), run
/// pass by pass on the GPU's own clock; the time that its layers take.
///
/// The clock is logical: it stands still while the program waits. It may lag the domain's clock (a
/// completion is reported one notice delay late) or be ahead of it (computing needs no event).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/program_clock.h"
#include "core/base/memory_account.h"

namespace heddle {

class StepClock final : public ProgramClock {
 public:
  /// `runner`: of the same GPU. Both must outlive it. Adds records of the GPU's layers to
  /// `context`.
  StepClock(ExecutionContext* context, CollectiveRunner* runner);

  /// Does the program's first steps, from the job's start on.
  void Begin() { Advance(); }
  /// Notes the end, `at` plus the operation's update, and adds to the layer's total; what only
  /// sends is not waited for.
  void Ended(std::uint32_t operation, Time issued, Time at) override;
  /// Goes on if the program waits for `operation`, or ends a program that is past its last step.
  void MayGoOn(std::uint32_t operation, Time at) override;

  /// Whether the program has ended; it is then among the context's finishes.
  bool finished() const { return ended_; }
  /// Memory in bytes, itself included.
  std::size_t memory() const { return sizeof(*this) + MemoryOfTree(overlapped_); }

  /// For checkpoints (execution_state.cc): the position in the program; then the operations that
  /// are not waited for so far and the sums of this GPU's layers.
  template <class Archive>
  void SerializePosition(Archive& archive);
  /// Archives the ends that may be waited for, and this GPU's layers.
  template <class Archive>
  void SerializeSums(Archive& archive);
  /// Call it after loading, which is to be after Begin(): checks the position; a GPU that had
  /// finished is then among the context's finishes.
  void AfterLoad();

 private:
  static constexpr std::uint32_t kNothing = ~0U;

  const Job& job() const { return job_.job(); }  ///< whose program this is
  /// Returns the steps of the GPU's pipeline stage in one pass.
  const std::vector<ProgramStep>& Steps() const { return job().program.steps[stage_]; }
  /// Does steps, pass by pass, until one has to wait or the program ends.
  void Advance();
  /// Does one step; false: it has to wait, and MayGoOn() moves on.
  bool Do(const ProgramStep& step);
  /// Issues the operation now, or when its window opens if that is later.
  void Issue(std::uint32_t operation);
  /// Whether the operation has finished by the GPU's clock; if not, the GPU waits for it from now
  /// on.
  bool WaitFor(std::uint32_t operation);
  /// Sets the clock to `at`, unless it is past that, and counts the difference as exposed or, for
  /// pipelines, as waiting for another stage.
  void GoOn(std::uint32_t operation, Time at);
  /// Forgets what ended without being waited for, at the end of a pass.
  void ForgetEnded();
  /// Returns the time from the GPU's clock to `at`, when the operation's update has ended; without
  /// the update if collectives are concurrent.
  Time WaitedFor(const ProgramOp& op, Time at) const;
  /// Ends the program when all that it issued has ended: waits for it in the order of the ends.
  void EndProgram();
  /// Adds the program's end to the context's finishes.
  void RecordFinish();
  /// Adds an interval of the time line, if the context records it.
  void AddStep(StepRecord::Kind kind, std::uint32_t operation, std::uint32_t layer, Phase phase,
               Time start, Time end, std::uint32_t pass);
  /// Returns this GPU's record of a layer of the workload.
  LayerRecord& LayerOf(std::uint32_t layer) { return context_->layers[first_layer_ + layer]; }
  /// Computes for `time` and notes it.
  void Compute(const ProgramStep& step, Time time);
  /// Throws Error of code 4 for a step of this time that would end after kEndOfTime.
  void CheckTime(const ProgramStep& step, Time time) const;

  ExecutionContext* context_;
  CollectiveRunner* runner_;
  PlacedJob& job_;
  std::uint32_t stage_;
  std::size_t first_layer_;  ///< index of its first layer record in the context
  std::uint32_t pass_ = 0, step_ = 0;
  Time now_;
  std::uint32_t waits_for_ = kNothing;  ///< the operation it waits for
  bool at_end_ = false, ended_ = false;
  /// Latest end of messages to other stages, which are waited for at the end only, and its
  /// operation.
  Time sent_until_;
  std::uint32_t last_sent_ = kNothing;
  /// Finish times of operations issued and not waited for; Max: unfinished.
  std::map<std::uint32_t, Time> overlapped_;
};

}  // namespace heddle
