// SPDX-License-Identifier: GPL-2.0-only
/// One GPU's part in the collectives of its job: when each begins, what it sends, when it ends.
///
/// Collectives of one communicator run one after the other, in the order in which they are issued;
/// messages between two ranks do not wait for each other. A collective's messages start no earlier
/// than the notice delay after what made them possible, so nothing is requested in the domain's
/// past, although ends are reported one notice delay late.
///
/// Left out: who issues an operation, and what its end means. That is the program's
/// (program_clock.h); steps, passes and layers are not known here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "collectives/execution/participation.h"
#include "collectives/execution/program_clock.h"

namespace heddle {

class NodeNames;  // topology/graph/node_names.h

class CollectiveRunner {
 public:
  /// `rank`: the GPU's rank of the job. `context`, `port` and `clock` must outlive it; `clock`, of
  /// the program, is not used before the first operation is issued.
  CollectiveRunner(ExecutionContext* context, FlowPoster* port, std::uint32_t job,
                   std::uint32_t rank, OperationReports* clock)
      : context_(context),
        port_(port),
        clock_(clock),
        job_(context->jobs[job].get()),
        rank_(rank) {}

  /// Begins or queues `operation`, in which this GPU takes part, when the program reaches it at
  /// `at`. Call it once for each operation, and for those of a communicator at times that do not
  /// decrease.
  void Issue(std::uint32_t operation, Time at);
  /// Counts a message that arrived at `when`, and posts what it enables; one that comes before the
  /// operation is issued is kept.
  void Received(const MessageName& name, Time when);
  /// Counts a message that left at `when`, and posts what waits for that.
  void Sent(const MessageName& name, Time when);
  /// Reports that a collective carried as a whole ended at `when`.
  void Completed(std::uint32_t operation, Time when);

  // For collectives that are replayed whole (core/traffic/whole_collectives.h).
  /// Returns the GPU's part if it has begun and no message of it was reported; else null.
  const Participation* FindFresh(std::uint32_t operation) const;
  /// Ends its part at `when`, of which no message was reported, and keeps it for TakeBackEnd().
  void EndWhole(std::uint32_t operation, Time when);
  /// Drops the part that EndWhole() kept: its end stays.
  void ForgetWhole(std::uint32_t operation);
  /// Resumes a part that EndWhole() ended, as it was before any message was reported; its program
  /// is not notified again when it ends. Nothing happens if there is none.
  void TakeBackEnd(std::uint32_t operation);

  /// Whether this GPU takes part; in a send/receive only its two ranks do.
  bool TakesPart(std::uint32_t operation) const;
  /// Ends the send side: the message has arrived at the other rank at `when`. For programs whose
  /// sends end then (GraphProgram::sends_until_arrival).
  void Delivered(std::uint32_t operation, Time when);
  /// Whether collectives of one communicator may run at once.
  bool concurrent() const {
    return port_->collectives() != nullptr && port_->collectives()->concurrent();
  }
  PlacedJob& job() const { return *job_; }                ///< whose program the GPU runs
  std::uint32_t rank() const { return rank_; }            ///< of the job
  NodeId gpu() const { return job_->job().gpus[rank_]; }  ///< node of the topology
  /// Describes what an unfinished GPU waits for (gpu_waiting.cc).
  std::string Waiting(const NodeNames& names) const;
  /// Memory in bytes, itself included.
  std::size_t memory() const;

  /// Writes the queues of communicators for a checkpoint (execution_state.cc).
  void SaveQueues(StateWriter* to) const;
  /// Replaces the queues by saved ones. Throws UserError for what the job does not have.
  void LoadQueues(StateReader* from);
  /// Writes the participations in progress.
  void SaveParts(StateWriter* to) const;
  /// Replaces the participations by saved ones. Throws UserError for what the job does not have.
  void LoadParts(StateReader* from);

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
    Time free_at;  ///< end of the last one, which may be ahead of the program's time
    std::deque<Queued> waiting;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& busy& free_at& waiting;
    }
  };
  /// Bytes of libstdc++'s empty deque: a block and the map of blocks.
  static constexpr std::size_t kDequeBlock = 512 + 8 * sizeof(void*);

  /// Returns the spec of an operation, whose number includes its pass.
  const CollectiveSpec& SpecOf(std::uint32_t operation) const { return job_->Op(operation).spec; }
  /// Whether the collective waits for the ones of its communicator before it, and they for it.
  bool TakesTurns(const CollectiveSpec& spec) const {
    return spec.operation != Operation::kSendRecv && !concurrent();
  }
  /// Returns the queue of the operation's communicator: one for each type of group, and for each
  /// listed group.
  GroupQueue& QueueOf(std::uint32_t operation) {
    const ProgramOp& op = job_->Op(operation);
    if (op.spec.group == GroupType::kListed) return listed_queues_[op.list];
    return group_queues_[static_cast<int>(op.spec.group)];
  }
  /// Whether the carrier of whole collectives takes the operation.
  bool IsCarried(const CollectiveSpec& spec) const {
    const CollectiveCarrier* carrier = port_->collectives();
    return carrier != nullptr && (!IsBetweenTwo(spec) || carrier->carries_messages());
  }
  /// Whether a send lasts until the message has arrived, not only left.
  bool EndsAtArrival() const {
    const GraphProgram* graph = job_->job().program.graph.get();
    return graph != nullptr && graph->sends_until_arrival;
  }
  /// Begins the participation: sends messages from `at` on, and counts those that came early.
  void TakePart(std::uint32_t operation, Time issued, Time at);
  Participation* Find(std::uint32_t operation);  ///< null: not begun and no message came
  /// Returns the participation; a new one has not begun.
  Participation& FindOrMake(std::uint32_t operation);
  /// Counts a message at `when`, or when the participation may begin if that is later; posts its
  /// children.
  void Arrive(Participation* part, const NumberedFlow& message, Time when);
  /// Records when the receiver of a message between two ranks has it.
  void NoteArrival(const Participation& part, Time when);
  /// Ends the participation, notifies the program, and begins what its communicator has next.
  void Finish(Participation* part);
  /// Records the end of `part` at `last`, notifies the program and moves the queue; the
  /// participation is no longer among parts_.
  void Conclude(const Participation& part, Time last);
  /// Frees the communicator from `at` on: takes part in the next one that waits.
  void MoveQueue(GroupQueue* queue, Time at);
  /// Throws UserError for an operation that the job does not have.
  static void CheckQueue(const GroupQueue& queue, const PlacedJob& job);
  void Forget(Participation* part) { Take(&parts_, part->operation); }  ///< removes it from parts_
  /// Removes one from a list, and returns it; null if it is not there.
  static std::unique_ptr<Participation> Take(std::vector<std::unique_ptr<Participation>>* parts,
                                             std::uint32_t operation);
  /// Describes the first missing message of each source and channel.
  std::string Missing(const Participation& part, const NodeNames& names) const;

  ExecutionContext* context_;
  FlowPoster* port_;
  OperationReports* clock_;
  PlacedJob* job_;
  std::uint32_t rank_;
  GroupQueue group_queues_[kGroupTypes];
  std::map<std::uint32_t, GroupQueue> listed_queues_;  ///< of listed groups, once used
  std::vector<std::unique_ptr<Participation>> parts_;
  /// Participations that EndWhole() ended, as they began.
  std::vector<std::unique_ptr<Participation>> ended_whole_;
};

}  // namespace heddle
