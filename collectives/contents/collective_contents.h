// SPDX-License-Identifier: GPL-2.0-only
/// What the messages of collectives carry on one rank: buffers of float32, to which reductions
/// really add, and whose contents are checked when an operation has ended at a participant.
///
/// A schedule says of each message which bytes of the operation's buffer it carries, and whether
/// its receiver adds or replaces them (GroupFlow); some carry several ranges (message_ranges.h).
/// Messages of AllToAll by PXN carry a slice of each rank of a server, in the order of ranks. Left
/// out: the flags of LL and LL128, which are bytes without meaning at a message's end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "collectives/contents/expected_result.h"
#include "collectives/contents/part_buffer.h"
#include "collectives/contents/relayed_messages.h"
#include "collectives/job/placed_job.h"
#include "collectives/schedule/message_name.h"
#include "core/containers/buffer_pool.h"
#include "core/traffic/message_contents.h"

namespace heddle {

class CollectiveContents final : public MessageContents {
 public:
  /// `jobs` must outlive it.
  CollectiveContents(const std::vector<std::unique_ptr<PlacedJob>>& jobs, ResultChecks checks)
      : jobs_(jobs), checks_(checks) {}

  /// Adds a GPU of a job that is on this rank. Call it before Prepare().
  void AddGpu(NodeId gpu, std::uint32_t job) { gpus_.push_back({gpu, job, nullptr}); }

  /// Allocates each GPU's own numbers, and a result buffer of the job's largest operation.
  void Prepare() override;
  /// Returns the bytes of the GPUs' own numbers and of one result each, rounded up.
  std::size_t NeededMemory() const override;
  /// Returns the bytes to send: in place if they are one range of the message's size and were not
  /// relayed, else in a copy.
  OutgoingBytes Outgoing(const FlowCookie& cookie, const MessageSlice& slice,
                         std::int64_t size) override;
  /// Ends the reading of what was sent, or takes its copy back; checks the result after the last
  /// message.
  void Left(const FlowCookie& cookie, const MessageSlice& slice, std::int64_t size,
            OutgoingBytes sent) override;
  /// Returns where the message may be received in place; null if it is added, relayed, spread, or
  /// read by a send.
  char* Incoming(const FlowCookie& cookie, const MessageSlice& slice, std::int64_t size) override;
  /// Adds or puts what came, or keeps it to be sent on; checks the result after the last message.
  /// Throws InvariantError for a wrong result.
  void Arrived(const FlowCookie& cookie, const MessageSlice& slice, const char* payload,
               std::int64_t size) override;
  Checked checked() const override { return checked_; }  ///< results and bytes compared so far

 private:
  struct Gpu {
    NodeId node;
    std::uint32_t job = 0;
    BufferPool::Block own;  ///< its own numbers, float32
  };
  /// A participant in a collective that has messages left.
  struct Part {
    const PlannedCollective* collective;
    PartBuffer buffer;
    FlowCounts left;
    std::unique_ptr<PartBuffer> staged;  ///< null: no message has been staged
  };
  using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, Participant>;
  using Parts = std::map<Key, Part>;

  /// Returns a bound on the largest buffer of an operation of a job [byte].
  std::int64_t LargestOf(std::uint32_t job) const;
  /// Returns the GPU's own numbers. Throws InvariantError if it is not on this rank.
  const float* OwnOf(NodeId node) const;
  /// Returns the participant's part, a new one with its first message.
  Parts::iterator PartOf(const MessageName& name, Participant me);
  /// Returns what an end of a message, `part`, sends it from or has it in: the operation's buffer,
  /// or one apart (Schedule::IsStaged).
  PartBuffer* BufferOf(const MessageName& name, Participant me, Part* part);
  /// Joins the parts of a message that is sent on, with the sender's own if it has one in it.
  BufferPool::Block Gather(const MessageName& name, const MessageSlice& slice, std::int64_t size,
                           std::map<Participant, std::vector<char>> parts, const Part& part);
  /// Returns where a message with one slice of an AllToAll's sender goes.
  static std::int64_t PlaceOfSlice(const Part& part, Participant me, Participant from);
  /// Puts an AllToAll's message: one slice, or by PXN one of each rank of the source's server.
  void PutSlices(const MessageName& name, const MessageSlice& slice, const char* payload,
                 Part* part);
  /// Checks and forgets a part that has sent and received all.
  void FinishIfDone(const MessageName& name, Parts::iterator at);
  /// Checks a rank's result. Throws InvariantError that names the GPU, the operation and the first
  /// wrong element.
  void Check(const MessageName& name, Participant me, Part* part);

  const std::vector<std::unique_ptr<PlacedJob>>& jobs_;
  ResultChecks checks_;
  std::vector<Gpu> gpus_;
  Parts parts_;
  RelayedMessages relayed_;
  ExpectedResults expected_;
  BufferPool pool_;
  Checked checked_;
};

}  // namespace heddle
