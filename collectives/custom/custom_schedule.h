// SPDX-License-Identifier: GPL-2.0-only
/// A collective by an algorithm that a user brings, as a schedule of messages.
///
/// The operation's buffer is cut into the algorithm's chunks, and chunks larger than
/// ChunkOptions::chunk_bytes into equal pieces, one a round, as MSCCL's interpreter does with its
/// buffers. A message's chunk is its number in its connection. Copies and sums inside a GPU take no
/// time of their own.
///
/// Left out: the slots of a connection, which bound what is in flight to a peer.
#pragma once

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

  std::uint64_t flow_count() const override { return messages_->total(); }   ///< in all rounds
  std::uint32_t channels() const override { return messages_->channels(); }  ///< the algorithm's
  /// Bounds the chunk numbers: the most messages of a connection.
  std::uint32_t chunk_count() const override { return messages_->most_in_connection(); }
  /// Counts the rounds; each has a piece of every chunk.
  std::uint32_t piece_count() const override { return messages_->rounds(); }
  /// Counts a rank's messages in all rounds; zero for NVSwitches.
  FlowCounts CountsOf(Participant p) const override;
  /// Whether the algorithm has the connection, and the connection the number.
  bool Knows(const GroupFlow& name) const override;
  /// Appends the first message of each of the rank's connections that waits for no arrival.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the messages that wait for this arrival, also if they have other parents.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Counts the arrivals that a message waits for and the ones before it on its connection do not.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the messages that ParentCount() counts.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Returns the next message of the connection; a block sends in order.
  std::optional<GroupFlow> NextInTurn(const GroupFlow& posted) const override;
  /// Returns the message before it on the connection.
  std::optional<GroupFlow> PreviousInTurn(const GroupFlow& flow) const override;
  /// Visits the range of each chunk's piece in the operation's buffer; chunks of scratch count
  /// modulo the algorithm's.
  void ForEachRange(const GroupFlow& flow,
                    const std::function<void(const ByteRange&)>& visit) const override;
  /// Visits by channel, chunk, source and destination. Sorts all messages first.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  /// Visits a bundle for each connection and size.
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override { return sizeof *this; }  // the messages are shared

 private:
  using Id = CustomMessages::Id;

  /// Returns the number of a message's connection and its own. Throws InvariantError if there is no
  /// such connection.
  Id IdOf(const GroupFlow& flow) const;
  /// Makes the message; its offset is that of its first piece.
  GroupFlow Make(const Id& id) const;
  /// Calls visit(range) for the piece of each chunk of a message.
  template <class Visit>
  void ForEachPiece(const Id& id, const Visit& visit) const;

  std::int64_t bytes_;
  std::uint32_t chunks_;
  std::shared_ptr<const CustomMessages> messages_;
};

}  // namespace heddle
