// SPDX-License-Identifier: GPL-2.0-only
/// A collective by an algorithm that a user brings, as a schedule of messages.
///
/// The operation's buffer is cut into the algorithm's chunks, and chunks larger than
/// ChunkOptions::chunk_bytes into equal pieces, one a round, as MSCCL's interpreter does with its
/// buffers. A message's chunk is its number in its connection. Copies and sums inside a GPU take no
/// time of their own.
///
/// Left out: the slots of a connection, which bound what is under way to a peer.
#ifndef HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_SCHEDULE_H_
#define HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_SCHEDULE_H_

#include <memory>
#include <optional>
#include <string>

#include "collectives/custom/custom_library.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// Why the run's files have no algorithm for an operation of such a group; empty: they have one.
std::string WhyNoCustom(Operation operation, const GroupShape& shape, const ChunkOptions& options);

class CustomSchedule final : public Schedule {
 public:
  /// The library of `options` must have an algorithm for the operation and the group's size. Throws
  /// as CustomMessages().
  CustomSchedule(const CollectiveSpec& spec, const ChunkOptions& options);

  std::uint64_t flow_count() const override { return messages_->total(); }
  std::uint32_t channels() const override { return messages_->channels(); }
  std::uint32_t chunk_count() const override { return messages_->most_in_connection(); }
  std::uint32_t piece_count() const override { return messages_->rounds(); }
  FlowCounts CountsOf(Participant p) const override;
  bool Knows(const GroupFlow& name) const override;
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  std::optional<GroupFlow> NextInTurn(const GroupFlow& posted) const override;
  std::optional<GroupFlow> PreviousInTurn(const GroupFlow& flow) const override;
  void ForEachRange(const GroupFlow& flow,
                    const std::function<void(const ByteRange&)>& visit) const override;
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override { return sizeof *this; }  // the messages are shared

 private:
  using Id = CustomMessages::Id;

  Id IdOf(const GroupFlow& flow) const;
  GroupFlow Make(const Id& id) const;
  /// Calls visit(range) for the piece of each chunk of a message.
  template <class Visit>
  void ForEachPiece(const Id& id, const Visit& visit) const;

  std::int64_t bytes_;
  std::uint32_t chunks_;
  std::shared_ptr<const CustomMessages> messages_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_SCHEDULE_H_
