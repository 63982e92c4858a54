// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/chain_schedule.h"

#include <algorithm>

#include "collectives/schedule/pieces.h"
#include "core/base/check.h"

namespace heddle {

ChainSchedule::ChainSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                             const ChunkOptions& options, bool pxn)
    : spec_(spec),
      rings_(shape, pxn),
      pieces_(PiecesOf(spec.bytes, shape.fewest_locals(), options.chunk_bytes)),
      in_flight_(
          static_cast<std::uint32_t>(std::min<std::int64_t>(options.chunks_in_flight, pieces_))),
      counts_(shape.ranks()) {
  HEDDLE_EXPECT(shape.ranks() > 1 && spec.root < shape.ranks() && in_flight_ > 0);
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    for (Participant rank = 0; rank < rings_.ranks(); ++rank) {
      if (rank != LastOf(ring)) counts_.Add(rings_.HopFrom(ring, rank));
    }
  }
}

Participant ChainSchedule::FirstOf(std::uint32_t ring) const {
  return spec_.operation == Operation::kBroadcast ? spec_.root : rings_.Next(ring, spec_.root);
}

FlowCounts ChainSchedule::CountsOf(Participant p) const {
  const FlowCounts once = counts_.Of(p);
  return {once.sends * pieces_, once.receives * pieces_};
}

GroupFlow ChainSchedule::Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t ring,
                              std::uint32_t piece) const {
  const bool reduce = spec_.operation == Operation::kReduce;
  const ByteRange range = PartOf(PartOf({0, spec_.bytes}, rings_.count(), ring), pieces_, piece);
  GroupFlow flow;
  flow.source = hop.legs[leg].source;
  flow.destination = hop.legs[leg].destination;
  flow.connection = hop.legs[leg].connection;
  flow.channel = static_cast<std::uint16_t>(ring);
  flow.chunk = piece;
  flow.reduced = reduce && leg == 0 && flow.source != FirstOf(ring);
  flow.reduces = reduce && leg + 1 == hop.count;
  flow.offset = range.offset;
  flow.bytes = range.bytes;
  return flow;
}

void ChainSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!rings_.shape().is_rank(p)) return;
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    if (FirstOf(ring) != p) continue;
    const Crossing hop = rings_.HopFrom(ring, p);
    for (std::uint32_t piece = 0; piece < in_flight_; ++piece)
      out->push_back(Flow(hop, 0, ring, piece));
  }
}

void ChainSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const std::uint32_t ring = arrived.channel;
  const Participant from = rings_.HopSource(arrived);
  const Crossing hop = rings_.HopFrom(ring, from);
  const std::uint32_t leg = hop.LegOf(arrived);
  const Participant to = hop.last().destination;
  if (leg + 1 < hop.count) {
    children->push_back(Flow(hop, leg + 1, ring, arrived.chunk));
  } else if (to != LastOf(ring)) {
    children->push_back(Flow(rings_.HopFrom(ring, to), 0, ring, arrived.chunk));
  }
}

bool ChainSchedule::Starts(const GroupFlow& flow) const {
  const Participant from = rings_.HopSource(flow);
  return from == FirstOf(flow.channel) && rings_.HopFrom(flow.channel, from).LegOf(flow) == 0;
}

std::uint32_t ChainSchedule::ParentCount(const GroupFlow& flow) const {
  return Starts(flow) ? 0 : 1;
}

void ChainSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  if (Starts(flow)) return;
  const std::uint32_t ring = flow.channel;
  const Participant from = rings_.HopSource(flow);
  const Crossing hop = rings_.HopFrom(ring, from);
  const std::uint32_t leg = hop.LegOf(flow);
  if (leg > 0) {
    parents->push_back(Flow(hop, leg - 1, ring, flow.chunk));
  } else {
    const Crossing before = rings_.HopFrom(ring, rings_.Previous(ring, from));
    parents->push_back(Flow(before, before.count - 1, ring, flow.chunk));
  }
}

void ChainSchedule::AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
  if (!Starts(sent) || sent.chunk + in_flight_ >= pieces_) return;
  next->push_back(
      Flow(rings_.HopFrom(sent.channel, sent.source), 0, sent.channel, sent.chunk + in_flight_));
}

void ChainSchedule::Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
  if (!Starts(flow) || flow.chunk < in_flight_) return;
  earlier->push_back(
      Flow(rings_.HopFrom(flow.channel, flow.source), 0, flow.channel, flow.chunk - in_flight_));
}

void ChainSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    const Participant last = LastOf(ring);
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      for (Participant rank = 0; rank < rings_.ranks(); ++rank) {
        if (rank == last) continue;
        const Crossing hop = rings_.HopFrom(ring, rank);
        for (std::uint32_t leg = 0; leg < hop.count; ++leg) visit(Flow(hop, leg, ring, piece));
      }
    }
  }
}

void ChainSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    const std::int64_t share = PartOf({0, spec_.bytes}, rings_.count(), ring).bytes;
    const auto large = static_cast<std::uint64_t>(share % pieces_);
    const Participant last = LastOf(ring);
    for (Participant rank = 0; rank < rings_.ranks(); ++rank) {
      if (rank == last) continue;
      const Crossing hop = rings_.HopFrom(ring, rank);
      for (std::uint32_t leg = 0; leg < hop.count; ++leg) {
        const Leg& ends = hop.legs[leg];
        visit({ends.source, ends.destination, share / pieces_, pieces_ - large,
               static_cast<std::uint16_t>(ring)});
        visit({ends.source, ends.destination, share / pieces_ + 1, large,
               static_cast<std::uint16_t>(ring)});
      }
    }
  }
}

}  // namespace heddle
