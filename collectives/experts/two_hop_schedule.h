// SPDX-License-Identifier: GPL-2.0-only
/// AllToAll of tokens over two hops, as DeepEP has it: a token crosses the network once for each
/// server with experts of it, to the GPU of its sender's rail there, which hands it on over NVLink
/// to each rank that has one. The way back (PairSizes::returns) is the mirror: ranks send sums over
/// their experts to that GPU, which adds them and sends one row home.
///
/// Source: DeepEP's normal kernels, V1 and V2 (deepseek-ai/DeepEP dd758caf;
/// docs/models/experts.md). Home: the rank whose tokens they are. Entry of a home in a server: the
/// rank on the home's rail, or, if the server has none, the one in its place modulo the server's
/// ranks.
///
///     home -> entry (kPxnNet), entry -> rank (kPxnFinal)        out
///     rank -> entry (kPxnInit), entry -> home (kPxnNet)         back
///     home -> rank, rank -> home (kDirect)                      within the home's server
///
/// What a home has for a server goes in c pieces at most, of kLeastPiece bytes at least, each of
/// which is handed on when it has arrived; of pieces that wait for none a number are in flight. On
/// the way back a piece leaves the entry when all ranks' pieces have arrived. Chunk numbers are
/// piece times ranks plus home.
///
/// Omitted: the exchange of counts; rings of buffers, by which a slow NVLink stalls NICs (DeepEP
/// V1); time to add; that pieces of a server hold different parts of its ranks' rows.
#pragma once

#include <vector>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/traffic/pair_sizes.h"

namespace heddle {

class TwoHopSchedule final : public Schedule {
 public:
  static constexpr std::int64_t kLeastPiece = 4096;  ///< [byte]

  /// `sizes`: with tokens, of as many ranks as `shape` has; both must outlive the schedule.
  /// `options`: pieces, and how many are in flight.
  TwoHopSchedule(const PairSizes& sizes, const GroupShape& shape, const ChunkOptions& options);

  /// Counts messages of both hops and those within servers.
  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const override { return 1; }  ///< all messages are of channel 0
  /// Bounds the chunk numbers.
  std::uint32_t chunk_count() const override { return pieces_ * shape_.ranks(); }
  /// Counts the pieces of what a home has for a server, at most.
  std::uint32_t piece_count() const override { return pieces_; }
  /// Counts all that a rank sends and receives, what it hands on included.
  FlowCounts CountsOf(Participant p) const override;
  /// Whether there is such a message.
  bool Knows(const GroupFlow& name) const override;
  /// Appends the first pieces of what waits for no other message.
  void Begin(Participant p, std::vector<GroupFlow>* out) const override;
  /// Appends the second hop of a piece; on the way back, the piece that waits for this one.
  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override;
  /// Second hop out: 1; back: the ranks that send to the entry; else 0.
  std::uint32_t ParentCount(const GroupFlow& flow) const override;
  /// Appends the first hops of a second one.
  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override;
  /// Appends the piece that is the number in flight after `sent`, if it waits for no arrival.
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override;
  /// Appends the piece that is the number in flight before `flow`, if it waits for no arrival.
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override;
  /// Visits by home, server, piece and rank.
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  std::size_t memory() const override {
    return sizeof(*this) + counts_.capacity() * sizeof(FlowCounts) +
           server_bytes_.capacity() * sizeof(std::int64_t);
  }

 private:
  /// Bytes of a home's tokens for a rank, or of what the rank sends back.
  std::int64_t BytesOf(Participant home, Participant rank) const;
  /// The same for a server, each token once.
  std::int64_t ServerBytes(Participant home, std::uint32_t server) const {
    return server_bytes_[std::size_t{home} * shape_.servers() + server];
  }
  /// Returns the rank through which a home's tokens enter another server.
  Participant EntryOf(Participant home, std::uint32_t server) const;
  /// Counts the pieces of what a home has for another server; 0: it has nothing.
  std::uint32_t PiecesOf(Participant home, std::uint32_t server) const;
  /// Bytes of one piece of a rank's share: 0, but in the first piece, if it has less than a byte
  /// for each.
  std::int64_t ShareOf(Participant home, Participant rank, std::uint32_t piece) const;
  /// Makes the message between a home and its entry in another server.
  GroupFlow Across(Participant home, std::uint32_t server, std::uint32_t piece) const;
  /// Makes the message between a home's entry and another rank of its server.
  GroupFlow Inside(Participant home, Participant rank, std::uint32_t piece) const;
  /// Makes the message between a home and a rank of its own server.
  GroupFlow Direct(Participant home, Participant rank) const;
  /// Makes a message to a rank or, on the way back, from it.
  GroupFlow Flow(Participant near_home, Participant rank, std::uint32_t chunk,
                 Connection connection, std::int64_t bytes) const;
  /// The rank's end of a message: its destination, or on the way back its source.
  Participant RankEnd(const GroupFlow& flow) const {
    return sizes_.returns ? flow.source : flow.destination;
  }
  /// Returns the piece of the same message whose number is `piece`; it must exist.
  GroupFlow Piece(const GroupFlow& of, std::uint32_t piece) const;
  /// Whether a message exists and waits for no arrival.
  bool Starts(const GroupFlow& flow) const { return Knows(flow) && ParentCount(flow) == 0; }
  /// Appends pieces of a home and a server on the way back that `rank` may send at once.
  void BeginReturn(Participant home, Participant rank, std::vector<GroupFlow>* out) const;

  Participant HomeOf(const GroupFlow& flow) const { return flow.chunk % shape_.ranks(); }
  std::uint32_t PieceOf(const GroupFlow& flow) const { return flow.chunk / shape_.ranks(); }

  const PairSizes& sizes_;
  const GroupShape& shape_;
  std::uint32_t pieces_, in_flight_;
  std::vector<std::int64_t> server_bytes_;  ///< by home and server
  std::vector<FlowCounts> counts_;          ///< by rank
  std::uint64_t flow_count_ = 0;
};

}  // namespace heddle
