// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/multimem_schedule.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

std::int64_t MultimemPiece(std::int64_t bytes, std::uint32_t heads, const ChunkOptions& options) {
  std::int64_t piece = options.multimem_bytes;
  const std::int64_t at_once = options.multimem_channels * std::int64_t{heads};
  // Compared by quotients, as products may not fit.
  const auto lower = [&](std::int64_t times, std::int64_t least) {
    if (piece > least && bytes / piece < times * at_once) piece = least;
  };
  lower(64, std::int64_t{64} << 10);
  lower(8, std::int64_t{32} << 10);
  lower(2, std::int64_t{16} << 10);
  return piece;
}

MultimemSchedule::MultimemSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                                   const ChunkOptions& options)
    : shape_(shape),
      bytes_(spec.bytes),
      fetches_(spec.operation != Operation::kAllGather),
      stores_(spec.operation != Operation::kReduceScatter),
      heads_(shape.ranks()),
      switches_(shape.nvswitches(0)),
      pieces_(PiecesOf(spec.bytes, heads_, MultimemPiece(spec.bytes, heads_, options))),
      in_flight_(static_cast<std::uint32_t>(options.multimem_channels)) {
  HEDDLE_EXPECT(shape.servers() == 1 && switches_ > 0 && heads_ > 1);
  HEDDLE_EXPECT(spec.operation == Operation::kAllReduce ||
                spec.operation == Operation::kAllGather ||
                spec.operation == Operation::kReduceScatter);
}

GroupFlow MultimemSchedule::Make(const Piece& piece, Connection connection, Participant source,
                                 Participant destination) const {
  const ByteRange range = PartOf(PartOf({0, bytes_}, heads_, piece.head), pieces_, piece.number);
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = piece.number;
  flow.channel = static_cast<std::uint16_t>(piece.head);
  flow.connection = connection;
  flow.answers = IsSwitch(source) || connection == Connection::kNvlsPull;
  flow.reduces = connection == Connection::kNvlsPull && !IsSwitch(source);
  flow.offset = range.offset;
  if (connection == Connection::kNvlsRequest) {
    flow.asked = range.bytes;
  } else {
    flow.bytes = range.bytes;
  }
  return flow;
}

GroupFlow MultimemSchedule::Request(const Piece& piece) const {
  return Make(piece, Connection::kNvlsRequest, piece.head, SwitchOf(piece));
}
GroupFlow MultimemSchedule::RequestTo(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsRequest, SwitchOf(piece), gpu);
}
GroupFlow MultimemSchedule::Pull(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsPull, gpu, SwitchOf(piece));
}
GroupFlow MultimemSchedule::Sum(const Piece& piece) const {
  return Make(piece, Connection::kNvlsPull, SwitchOf(piece), piece.head);
}
GroupFlow MultimemSchedule::Store(const Piece& piece) const {
  return Make(piece, Connection::kNvlsStore, piece.head, SwitchOf(piece));
}
GroupFlow MultimemSchedule::StoreTo(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsStore, SwitchOf(piece), gpu);
}

void MultimemSchedule::ForAll(const Piece& piece,
                              GroupFlow (MultimemSchedule::*make)(const Piece&, Participant) const,
                              std::vector<GroupFlow>* out) const {
  for (Participant gpu = 0; gpu < heads_; ++gpu) out->push_back((this->*make)(piece, gpu));
}

void MultimemSchedule::All(const Piece& piece, std::vector<GroupFlow>* out) const {
  if (fetches_) {
    out->push_back(Request(piece));
    ForAll(piece, &MultimemSchedule::RequestTo, out);
    ForAll(piece, &MultimemSchedule::Pull, out);
    out->push_back(Sum(piece));
  }
  if (!stores_) return;
  out->push_back(Store(piece));
  ForAll(piece, &MultimemSchedule::StoreTo, out);
}

std::uint64_t MultimemSchedule::flow_count() const {
  const std::uint64_t fetch = fetches_ ? 2 + 2 * std::uint64_t{heads_} : 0;
  const std::uint64_t store = stores_ ? 1 + std::uint64_t{heads_} : 0;
  return (fetch + store) * heads_ * pieces_;
}

FlowCounts MultimemSchedule::CountsOf(Participant p) const {
  const std::uint64_t pieces = pieces_, all = pieces * heads_;
  FlowCounts counts;
  if (!IsSwitch(p)) {
    // Its own requests and the sums that answer them; the requests of all, and its data for them.
    if (fetches_) counts = {pieces + all, all + pieces};
    if (stores_) counts = {counts.sends + pieces, counts.receives + all};
    return counts;
  }
  // Its turns among the pieces of all heads: head h begins with switch h.
  std::uint64_t turns = 0;
  for (Participant head = 0; head < heads_; ++head) {
    const std::uint32_t first = (p - heads_ + switches_ - head % switches_) % switches_;
    if (first < pieces_) turns += (pieces_ - first - 1) / switches_ + 1;
  }
  const std::uint64_t each = heads_;
  if (fetches_) counts = {turns * (each + 1), turns * (1 + each)};
  if (stores_) counts = {counts.sends + turns * each, counts.receives + turns};
  return counts;
}

void MultimemSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (IsSwitch(p)) return;
  for (std::uint32_t number = 0; number < std::min(in_flight_, pieces_); ++number)
    out->push_back(fetches_ ? Request({p, number}) : Store({p, number}));
}

void MultimemSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Piece piece = PieceOf(arrived);
  const bool at_switch = IsSwitch(arrived.destination);
  switch (arrived.connection) {
    case Connection::kNvlsRequest:
      if (at_switch) {
        ForAll(piece, &MultimemSchedule::RequestTo, children);
      } else {
        children->push_back(Pull(piece, arrived.destination));
      }
      return;
    case Connection::kNvlsPull:
      if (at_switch) {
        children->push_back(Sum(piece));
        return;
      }
      if (stores_) children->push_back(Store(piece));
      if (pieces_ - piece.number > in_flight_)
        children->push_back(Request({piece.head, piece.number + in_flight_}));
      return;
    default:
      if (at_switch) ForAll(piece, &MultimemSchedule::StoreTo, children);
  }
}

std::uint32_t MultimemSchedule::ParentCount(const GroupFlow& flow) const {
  const bool from_switch = IsSwitch(flow.source);
  switch (flow.connection) {
    case Connection::kNvlsRequest:
      return from_switch || flow.chunk >= in_flight_ ? 1 : 0;
    case Connection::kNvlsPull:
      return from_switch ? heads_ : 1;
    default:
      return from_switch || fetches_ ? 1 : 0;
  }
}

void MultimemSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Piece piece = PieceOf(flow);
  const bool from_switch = IsSwitch(flow.source);
  switch (flow.connection) {
    case Connection::kNvlsRequest:
      if (from_switch) {
        parents->push_back(Request(piece));
      } else if (piece.number >= in_flight_) {
        parents->push_back(Sum({piece.head, piece.number - in_flight_}));
      }
      return;
    case Connection::kNvlsPull:
      if (from_switch) {
        ForAll(piece, &MultimemSchedule::Pull, parents);
      } else {
        parents->push_back(RequestTo(piece, flow.source));
      }
      return;
    default:
      if (from_switch) {
        parents->push_back(Store(piece));
      } else if (fetches_) {
        parents->push_back(Sum(piece));
      }
  }
}

void MultimemSchedule::AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
  if (fetches_ || IsSwitch(sent.source) || pieces_ - sent.chunk <= in_flight_) return;
  next->push_back(Store({sent.channel, sent.chunk + in_flight_}));
}

void MultimemSchedule::Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
  if (fetches_ || IsSwitch(flow.source) || flow.chunk < in_flight_) return;
  earlier->push_back(Store({flow.channel, flow.chunk - in_flight_}));
}

void MultimemSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (Participant head = 0; head < heads_; ++head) {
    for (std::uint32_t number = 0; number < pieces_; ++number) {
      flows.clear();
      All({head, number}, &flows);
      for (const GroupFlow& flow : flows) visit(flow);
    }
  }
}

void MultimemSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (Participant head = 0; head < heads_; ++head) {
    const std::int64_t slice = PartOf({0, bytes_}, heads_, head).bytes;
    // The pieces that one NVSwitch has of a slice, by their sizes, which differ by a byte at most.
    for (std::uint32_t first = 0; first < std::min(switches_, pieces_); ++first) {
      std::uint64_t count = 0, large = 0;
      for (std::uint32_t number = first; number < pieces_; number += switches_) {
        ++count;
        if (PartOf({0, slice}, pieces_, number).bytes > slice / pieces_) ++large;
      }
      flows.clear();
      All({head, first}, &flows);
      for (const GroupFlow& flow : flows) {
        if (flow.connection == Connection::kNvlsRequest) {
          visit({flow.source, flow.destination, 0, count});
          continue;
        }
        visit({flow.source, flow.destination, slice / pieces_, count - large});
        visit({flow.source, flow.destination, slice / pieces_ + 1, large});
      }
    }
  }
}

}  // namespace heddle
