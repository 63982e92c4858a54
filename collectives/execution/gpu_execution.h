// SPDX-License-Identifier: GPL-2.0-only
/// One GPU of a job: runs its program on its own clock.
///
/// The clock is logical: it stands still while the program waits. It may be behind the domain's
/// clock (a completion is reported one notice delay late) or ahead of it (computing needs no
/// event). Messages that result start no earlier than the notice delay after it, so nothing is
/// requested in the domain's past.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_GPU_EXECUTION_H_
#define HEDDLE_COLLECTIVES_EXECUTION_GPU_EXECUTION_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "collectives/execution/participation.h"

namespace heddle {

class GpuExecution {
 public:
  /// `rank`: the GPU's rank of the job. `context` and `port` must outlive it.
  GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job, std::uint32_t rank);

  void Begin() { Advance(); }
  void Received(const MessageName& name, Time when);
  void Sent(const MessageName& name, Time when);
  /// Reports that a collective carried as a whole ended at `when`.
  void Completed(std::uint32_t operation, Time when);

  bool finished() const { return ended_; }
  std::uint32_t rank() const { return rank_; }
  NodeId gpu() const { return job_->job().gpus[rank_]; }
  std::uint32_t job() const { return job_->index(); }
  /// Describes what an unfinished GPU waits for.
  std::string Waiting() const;
  /// Memory in bytes, itself included.
  std::size_t memory() const;

  /// Saves the position in the program, what is under way, and the sums of this GPU's layers
  /// (execution_state.cc).
  void Save(StateWriter* to) const;
  /// Call it after Begin(). A GPU that had finished is then among the context's finishes.
  void Load(StateReader* from);

 private:
  struct Queued {
    std::uint32_t operation = 0;
    Time issued;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& operation& issued;
    }
  };
  /// Collectives of this GPU on one communicator run one after the other.
  struct GroupQueue {
    bool busy = false;
    Time free_at;  ///< end of the last one, which may be ahead of the GPU's clock
    std::deque<Queued> waiting;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& busy& free_at& waiting;
    }
  };
  /// Whether the collective waits for the ones of its communicator before it, and they for it.
  bool TakesTurns(const ProgramOp& op) const {
    return op.spec.operation != Operation::kSendRecv &&
           (port_->collectives() == nullptr || !port_->collectives()->concurrent());
  }
  static constexpr std::uint32_t kNothing = ~0U;
  /// Bytes of libstdc++'s empty deque: a block and the map of blocks.
  static constexpr std::size_t kDequeBlock = 512 + 8 * sizeof(void*);

  const std::vector<ProgramStep>& Steps() const { return job_->job().program.steps[stage_]; }
  void Advance();
  bool Do(const ProgramStep& step);
  void Issue(std::uint32_t operation);
  void Start(std::uint32_t operation, Time issued, Time at);
  /// Whether the operation has finished by the GPU's clock; if not, the GPU waits for it from now
  /// on.
  bool WaitFor(std::uint32_t operation);
  void TakePart(std::uint32_t operation, Time issued, Time at);
  Participation* Find(std::uint32_t operation);
  Participation& FindOrMake(std::uint32_t operation);
  void Arrive(Participation* part, const NumberedFlow& message, Time when);
  /// Records when the receiver of a message between two ranks has it.
  void NoteArrival(const Participation& part, Time when);
  void Finish(Participation* part);
  void Forget(Participation* part);
  void FinishOperation(std::uint32_t operation, Time issued, Time at);
  void GoOn(std::uint32_t operation, Time at);
  /// Of the time from the GPU's clock to `at`, when the operation's update has ended.
  Time WaitedFor(const ProgramOp& op, Time at) const;
  void EndProgram();
  void AddStep(StepRecord::Kind kind, std::uint32_t operation, std::uint32_t layer, Phase phase,
               Time start, Time end, std::uint32_t pass);
  LayerRecord& LayerOf(std::uint32_t layer) { return context_->layers[first_layer_ + layer]; }
  /// Throws Error of code 4 for a step that would end after kEndOfTime.
  void CheckTime(const ProgramStep& step) const;
  bool TakesPart(const ProgramOp& op) const;
  std::string Missing(const Participation& part) const;
  void CheckProgram() const;
  template <class Archive>
  void SerializeProgram(Archive& archive);

  ExecutionContext* context_;
  FlowPoster* port_;
  PlacedJob* job_;
  std::uint32_t rank_, stage_;
  std::size_t first_layer_;  ///< index of its first layer record in the context
  std::uint32_t pass_ = 0, step_ = 0;
  Time clock_;
  std::uint32_t waits_for_ = kNothing;  ///< the operation it waits for
  bool at_end_ = false, ended_ = false;
  /// Latest end of messages to other stages, which are waited for at the end only, and its
  /// operation.
  Time sent_until_;
  std::uint32_t last_sent_ = kNothing;
  GroupQueue group_queues_[kGroupTypes];
  std::vector<std::unique_ptr<Participation>> parts_;
  /// Finish times of operations issued and not waited for; Max: unfinished.
  std::map<std::uint32_t, Time> overlapped_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_GPU_EXECUTION_H_
