// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/ring_schedule.h"

#include "core/base/check.h"

namespace heddle {

RingSchedule::RingSchedule(const CollectiveSpec& spec, const GroupShape& shape, bool pxn)
    : operation_(spec.operation),
      bytes_(spec.bytes),
      rings_(shape, pxn),
      shares_(bytes_, shape.ranks()),
      slices_(shares_.smallest(), rings_.count()),
      steps_((spec.operation == Operation::kAllReduce ? 2 : 1) * (shape.ranks() - 1)),
      counts_(shape.ranks()) {
  HEDDLE_EXPECT(shape.ranks() > 1);
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    for (Participant rank = 0; rank < rings_.ranks(); ++rank)
      counts_.Add(rings_.HopFrom(ring, rank));
  }
}

FlowCounts RingSchedule::CountsOf(Participant p) const {
  const FlowCounts once = counts_.Of(p);
  return {once.sends * steps_, once.receives * steps_};
}

ByteRange RingSchedule::PieceOf(std::uint32_t ring, std::uint32_t place, std::uint32_t step) const {
  // A reduced slice reaches its owner after n-1 steps: each rank first sends the slice of the rank
  // before it. A gathered slice starts at its owner. An AllReduce is a ReduceScatter and then an
  // AllGather, with the same formula.
  const std::uint32_t n = rings_.ranks();
  const std::uint32_t back = operation_ == Operation::kAllGather ? step : step + 1;
  std::uint32_t owners_place = place + 2 * n - back;
  while (owners_place >= n) owners_place -= n;
  const ByteRange share = shares_.Part(rings_.RankAt(ring, owners_place));
  if (!shares_.even()) return PartOf(share, rings_.count(), ring);
  const ByteRange slice = slices_.Part(ring);
  return {share.offset + slice.offset, slice.bytes};
}

GroupFlow RingSchedule::Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t ring,
                             std::uint32_t step) const {
  const std::uint32_t n = rings_.ranks();
  GroupFlow flow;
  flow.source = hop.legs[leg].source;
  flow.destination = hop.legs[leg].destination;
  flow.connection = hop.legs[leg].connection;
  flow.channel = static_cast<std::uint16_t>(ring);
  flow.chunk = step;
  const bool first_leg = leg == 0, last_leg = leg + 1 == hop.count;
  flow.reduced = first_leg && operation_ != Operation::kAllGather && step >= 1 && step < n;
  flow.reduces = last_leg && operation_ != Operation::kAllGather && step + 1 < n;
  const ByteRange piece = PieceOf(ring, rings_.PlaceOf(ring, hop.legs[0].source), step);
  flow.offset = piece.offset;
  flow.bytes = piece.bytes;
  return flow;
}

void RingSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!rings_.shape().is_rank(p)) return;
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring)
    out->push_back(Flow(rings_.HopFrom(ring, p), 0, ring, 0));
}

void RingSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const std::uint32_t ring = arrived.channel, step = arrived.chunk;
  const Participant from = rings_.HopSource(arrived);
  const Crossing hop = rings_.HopFrom(ring, from);
  const std::uint32_t leg = hop.LegOf(arrived);
  if (leg + 1 < hop.count) {
    children->push_back(Flow(hop, leg + 1, ring, step));
  } else if (step + 1 < steps_) {
    children->push_back(Flow(rings_.HopFrom(ring, rings_.Next(ring, from)), 0, ring, step + 1));
  }
}

std::uint32_t RingSchedule::ParentCount(const GroupFlow& flow) const {
  if (flow.chunk > 0) return 1;
  return rings_.HopFrom(flow.channel, rings_.HopSource(flow)).LegOf(flow);
}

void RingSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const std::uint32_t ring = flow.channel, step = flow.chunk;
  const Participant from = rings_.HopSource(flow);
  const Crossing hop = rings_.HopFrom(ring, from);
  const std::uint32_t leg = hop.LegOf(flow);
  if (leg > 0) {
    parents->push_back(Flow(hop, leg - 1, ring, step));
  } else if (step > 0) {
    const Crossing before = rings_.HopFrom(ring, rings_.Previous(ring, from));
    parents->push_back(Flow(before, before.count - 1, ring, step - 1));
  }
}

void RingSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    for (std::uint32_t step = 0; step < steps_; ++step) {
      for (Participant rank = 0; rank < rings_.ranks(); ++rank) {
        const Crossing hop = rings_.HopFrom(ring, rank);
        for (std::uint32_t leg = 0; leg < hop.count; ++leg) visit(Flow(hop, leg, ring, step));
      }
    }
  }
}

/// A rank sends every piece of its ring but one: in the steps that reduce, not its own; in those
/// that gather, not that of the next rank.
std::uint64_t RingSchedule::CountLarge(std::uint32_t ring, std::uint32_t place) const {
  const std::uint32_t n = rings_.ranks();
  const auto is_large = [&](std::uint32_t at) {
    return PartOf({0, bytes_}, n, rings_.RankAt(ring, at % n)).bytes > bytes_ / n ? 1 : 0;
  };
  const std::uint64_t all = static_cast<std::uint64_t>(bytes_ % n);
  std::uint64_t large = 0;
  if (operation_ != Operation::kAllGather) large += all - is_large(place);
  if (operation_ != Operation::kReduceScatter) large += all - is_large(place + 1);
  return large;
}

void RingSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  const std::uint32_t n = rings_.ranks();
  for (std::uint32_t ring = 0; ring < rings_.count(); ++ring) {
    // The slices of ranks differ by a byte at most, and so do a ring's shares of them.
    const std::int64_t small_size = PartOf({0, bytes_ / n}, rings_.count(), ring).bytes;
    const std::int64_t large_size = PartOf({0, bytes_ / n + 1}, rings_.count(), ring).bytes;
    const auto channel = static_cast<std::uint16_t>(ring);
    for (std::uint32_t place = 0; place < n; ++place) {
      const Crossing hop = rings_.HopFrom(ring, rings_.RankAt(ring, place));
      const std::uint64_t large = CountLarge(ring, place);
      for (std::uint32_t leg = 0; leg < hop.count; ++leg) {
        const Leg& ends = hop.legs[leg];
        visit({ends.source, ends.destination, small_size, steps_ - large, channel});
        visit({ends.source, ends.destination, large_size, large, channel});
      }
    }
  }
}

}  // namespace heddle
