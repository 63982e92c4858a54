// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/two_hop_schedule.h"

#include <algorithm>

#include "collectives/schedule/pieces.h"
#include "core/base/check.h"

namespace heddle {
namespace {

std::vector<std::uint32_t> ServersOf(const GroupShape& shape) {
  std::vector<std::uint32_t> servers;
  for (Participant rank = 0; rank < shape.ranks(); ++rank) servers.push_back(shape.server_of(rank));
  return servers;
}

}  // namespace

TwoHopSchedule::TwoHopSchedule(const PairSizes& sizes, const GroupShape& shape,
                               const ChunkOptions& options)
    : sizes_(sizes),
      shape_(shape),
      pieces_(static_cast<std::uint32_t>(options.expert_chunks)),
      in_flight_(static_cast<std::uint32_t>(options.chunks_in_flight)),
      server_bytes_(sizes.tokens->BytesByServer(ServersOf(shape), shape.servers())),
      counts_(shape.ranks()) {
  HEDDLE_INVARIANT(sizes.bytes.size() == std::size_t{shape.ranks()} * shape.ranks() &&
                       server_bytes_.size() == std::size_t{shape.ranks()} * shape.servers(),
                   "a table of sizes is of another group");
  HEDDLE_EXPECT(pieces_ > 0 && in_flight_ > 0);
  ForEach([&](const GroupFlow& flow) {
    ++counts_[flow.source].sends;
    ++counts_[flow.destination].receives;
    ++flow_count_;
  });
}

std::int64_t TwoHopSchedule::BytesOf(Participant home, Participant rank) const {
  const std::size_t ranks = shape_.ranks();
  return sizes_.bytes[sizes_.returns ? rank * ranks + home : home * ranks + rank];
}

Participant TwoHopSchedule::EntryOf(Participant home, std::uint32_t server) const {
  const Participant on_rail = shape_.on_rail(server, shape_.rail(home));
  if (on_rail != GroupShape::kNone) return on_rail;
  return shape_.local(server, shape_.local_of(home) % shape_.locals(server));
}

std::uint32_t TwoHopSchedule::PiecesOf(Participant home, std::uint32_t server) const {
  const std::int64_t bytes = ServerBytes(home, server);
  if (bytes == 0 || server == shape_.server_of(home)) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes / kLeastPiece, 1, pieces_));
}

std::int64_t TwoHopSchedule::ShareOf(Participant home, Participant rank,
                                     std::uint32_t piece) const {
  const std::uint32_t pieces = PiecesOf(home, shape_.server_of(rank));
  if (piece >= pieces) return 0;
  const std::int64_t bytes = BytesOf(home, rank);
  if (bytes < pieces) return piece == 0 ? bytes : 0;
  return PartOf({0, bytes}, pieces, piece).bytes;
}

GroupFlow TwoHopSchedule::Flow(Participant near_home, Participant rank, std::uint32_t chunk,
                               Connection connection, std::int64_t bytes) const {
  GroupFlow flow;
  flow.source = sizes_.returns ? rank : near_home;
  flow.destination = sizes_.returns ? near_home : rank;
  flow.chunk = chunk;
  flow.connection = connection;
  flow.reduces = sizes_.returns;
  flow.bytes = bytes;
  return flow;
}

GroupFlow TwoHopSchedule::Across(Participant home, std::uint32_t server,
                                 std::uint32_t piece) const {
  const ByteRange part =
      PartOf({0, ServerBytes(home, server)}, std::max(PiecesOf(home, server), 1U), piece);
  return Flow(home, EntryOf(home, server), piece * shape_.ranks() + home, Connection::kPxnNet,
              part.bytes);
}

GroupFlow TwoHopSchedule::Inside(Participant home, Participant rank, std::uint32_t piece) const {
  return Flow(EntryOf(home, shape_.server_of(rank)), rank, piece * shape_.ranks() + home,
              sizes_.returns ? Connection::kPxnInit : Connection::kPxnFinal,
              ShareOf(home, rank, piece));
}

GroupFlow TwoHopSchedule::Direct(Participant home, Participant rank) const {
  return Flow(home, rank, home, Connection::kDirect, BytesOf(home, rank));
}

GroupFlow TwoHopSchedule::Piece(const GroupFlow& of, std::uint32_t piece) const {
  const Participant home = HomeOf(of), rank = RankEnd(of);
  return of.connection == Connection::kPxnNet ? Across(home, shape_.server_of(rank), piece)
                                              : Inside(home, rank, piece);
}

FlowCounts TwoHopSchedule::CountsOf(Participant p) const {
  return shape_.is_rank(p) ? counts_[p] : FlowCounts{};
}

bool TwoHopSchedule::Knows(const GroupFlow& name) const {
  const Participant home = HomeOf(name), rank = RankEnd(name);
  const bool own_server = shape_.server_of(home) == shape_.server_of(rank);
  if (name.connection == Connection::kDirect)
    return own_server && home != rank && name.chunk == home && BytesOf(home, rank) > 0 &&
           Direct(home, rank).same_as(name);
  const Connection inside = sizes_.returns ? Connection::kPxnInit : Connection::kPxnFinal;
  if (own_server || (name.connection != Connection::kPxnNet && name.connection != inside))
    return false;
  if (PieceOf(name) >= PiecesOf(home, shape_.server_of(rank))) return false;
  const GroupFlow flow = Piece(name, PieceOf(name));
  return flow.same_as(name) && flow.source != flow.destination && flow.bytes > 0;
}

void TwoHopSchedule::BeginReturn(Participant home, Participant rank,
                                 std::vector<GroupFlow>* out) const {
  const std::uint32_t server = shape_.server_of(rank);
  if (server == shape_.server_of(home)) {
    if (home != rank && BytesOf(home, rank) > 0) out->push_back(Direct(home, rank));
    return;
  }
  const bool enters = EntryOf(home, server) == rank;
  const std::uint32_t pieces = std::min(PiecesOf(home, server), in_flight_);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const GroupFlow flow = enters ? Across(home, server, piece) : Inside(home, rank, piece);
    if (Starts(flow)) out->push_back(flow);
  }
}

void TwoHopSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!shape_.is_rank(p)) return;
  if (sizes_.returns) {
    for (Participant home = 0; home < shape_.ranks(); ++home) BeginReturn(home, p, out);
    return;
  }
  for (Participant rank = 0; rank < shape_.ranks(); ++rank) {
    const bool own_server = shape_.server_of(rank) == shape_.server_of(p);
    if (own_server && rank != p && BytesOf(p, rank) > 0) out->push_back(Direct(p, rank));
  }
  for (std::uint32_t piece = 0; piece < std::min(in_flight_, pieces_); ++piece) {
    for (std::uint32_t server = 0; server < shape_.servers(); ++server) {
      if (piece < PiecesOf(p, server)) out->push_back(Across(p, server, piece));
    }
  }
}

void TwoHopSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Participant home = HomeOf(arrived);
  const std::uint32_t server = shape_.server_of(RankEnd(arrived));
  if (arrived.connection == Connection::kPxnInit)
    children->push_back(Across(home, server, PieceOf(arrived)));
  if (arrived.connection != Connection::kPxnNet || sizes_.returns) return;
  for (std::uint32_t l = 0; l < shape_.locals(server); ++l) {
    const Participant rank = shape_.local(server, l);
    if (rank != arrived.destination && ShareOf(home, rank, PieceOf(arrived)) > 0)
      children->push_back(Inside(home, rank, PieceOf(arrived)));
  }
}

void TwoHopSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Participant home = HomeOf(flow);
  const std::uint32_t server = shape_.server_of(RankEnd(flow));
  if (flow.connection == Connection::kPxnFinal)
    parents->push_back(Across(home, server, PieceOf(flow)));
  if (flow.connection != Connection::kPxnNet || !sizes_.returns) return;
  for (std::uint32_t l = 0; l < shape_.locals(server); ++l) {
    const Participant rank = shape_.local(server, l);
    if (rank != flow.source && ShareOf(home, rank, PieceOf(flow)) > 0)
      parents->push_back(Inside(home, rank, PieceOf(flow)));
  }
}

std::uint32_t TwoHopSchedule::ParentCount(const GroupFlow& flow) const {
  if (flow.connection == Connection::kPxnFinal) return 1;
  if (flow.connection != Connection::kPxnNet || !sizes_.returns) return 0;
  const std::uint32_t server = shape_.server_of(flow.source);
  std::uint32_t count = 0;
  for (std::uint32_t l = 0; l < shape_.locals(server); ++l) {
    const Participant rank = shape_.local(server, l);
    if (rank != flow.source && ShareOf(HomeOf(flow), rank, PieceOf(flow)) > 0) ++count;
  }
  return count;
}

void TwoHopSchedule::AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
  if (sent.connection == Connection::kDirect) return;
  const std::uint32_t piece = PieceOf(sent) + in_flight_;
  if (piece >= PiecesOf(HomeOf(sent), shape_.server_of(RankEnd(sent)))) return;
  const GroupFlow later = Piece(sent, piece);
  if (Starts(later)) next->push_back(later);
}

void TwoHopSchedule::Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
  if (flow.connection == Connection::kDirect || PieceOf(flow) < in_flight_ || !Starts(flow)) return;
  earlier->push_back(Piece(flow, PieceOf(flow) - in_flight_));
}

void TwoHopSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (Participant home = 0; home < shape_.ranks(); ++home) {
    for (std::uint32_t server = 0; server < shape_.servers(); ++server) {
      const bool own = server == shape_.server_of(home);
      const std::uint32_t pieces = own ? 1 : PiecesOf(home, server);
      for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        if (!own) visit(Across(home, server, piece));
        for (std::uint32_t l = 0; l < shape_.locals(server); ++l) {
          const Participant rank = shape_.local(server, l);
          if (own && rank != home && BytesOf(home, rank) > 0) visit(Direct(home, rank));
          if (!own && rank != EntryOf(home, server) && ShareOf(home, rank, piece) > 0)
            visit(Inside(home, rank, piece));
        }
      }
    }
  }
}

}  // namespace heddle
