// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/pat_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// NCCL's chunk of PAT: halved down to 64 KiB for buffers of few chunks. At most 1 GiB, so that a
/// message of several blocks fits in a flow.
std::int64_t ChunkOf(const CollectiveSpec& spec, const ChunkOptions& options) {
  constexpr std::int64_t kLeast = std::int64_t{64} << 10, kMost = std::int64_t{1} << 30;
  const std::int64_t many = spec.operation == Operation::kReduceScatter ? 16 : 32;
  std::int64_t chunk = std::min(options.chunk_bytes, kMost);
  while (chunk > spec.bytes / many && chunk > kLeast) chunk /= 2;
  return chunk;
}

}  // namespace

PatPlan PatPlanOf(const CollectiveSpec& spec, std::uint32_t ranks, const ChunkOptions& options) {
  HEDDLE_EXPECT(spec.bytes > 0);
  const std::int64_t chunk = ChunkOf(spec, options);
  PatPlan plan;
  plan.factors = PatFactorsOf(ranks, (spec.bytes + ranks - 1) / ranks, chunk, options.pat_slots);
  plan.pieces = PiecesOf(spec.bytes, ranks, chunk);
  return plan;
}

std::string WhyNoPat(const GroupShape& shape, const ChunkOptions& options) {
  if (options.pat_forced || shape.servers() == shape.ranks()) return "";
  std::uint32_t server = 0;
  while (shape.locals(server) == 1) ++server;
  return fmt::format(
      "GPUs {} and {} of the group are in one server (NCCL has PAT for one GPU in each). Expected: "
      "a group with one GPU in each server, algorithm ring, or collective.pat_forced=true "
      "(NCCL_PAT_ENABLE=1)",
      shape.node(shape.local(server, 0)).value, shape.node(shape.local(server, 1)).value);
}

PatSchedule::PatSchedule(const CollectiveSpec& spec, const GroupShape& shape, const PatPlan& plan)
    : bytes_(spec.bytes),
      rounds_(shape.ranks(), plan.factors, spec.operation == Operation::kReduceScatter),
      pieces_(plan.pieces) {
  HEDDLE_EXPECT(spec.operation == Operation::kReduceScatter ||
                spec.operation == Operation::kAllGather);
}

Participant PatSchedule::Ahead(Participant rank, std::uint32_t distance) const {
  const std::uint32_t left = rounds_.ranks() - rank;  // the sum may not fit in 32 bits
  return distance < left ? rank + distance : distance - left;
}
Participant PatSchedule::Behind(Participant rank, std::uint32_t distance) const {
  return distance <= rank ? rank - distance : rank + (rounds_.ranks() - distance);
}

ByteRange PatSchedule::PieceOf(std::uint32_t block, std::uint32_t chunk) const {
  return PartOf(PartOf({0, bytes_}, rounds_.ranks(), block), pieces_, chunk / rounds_.messages());
}

template <class Visit>
void PatSchedule::ForEachBlock(Participant source, std::uint32_t chunk, const Visit& visit) const {
  const std::uint32_t message = chunk % rounds_.messages();
  const Participant base = rounds_.reduces() ? source : Behind(source, rounds_.distance(message));
  for (const std::uint32_t offset : rounds_.offsets(message))
    visit(PieceOf(Ahead(base, offset), chunk));
}

GroupFlow PatSchedule::Make(Participant source, std::uint32_t chunk) const {
  const std::uint32_t message = chunk % rounds_.messages();
  const std::uint32_t distance = rounds_.distance(message);
  GroupFlow flow;
  flow.source = source;
  flow.destination = rounds_.reduces() ? Ahead(source, distance) : Behind(source, distance);
  flow.chunk = chunk;
  flow.connection = Connection::kPat;
  flow.reduces = rounds_.reduces();
  flow.reduced = rounds_.reduces() && rounds_.parents(message).size() > 0;
  bool first = true;
  ForEachBlock(source, chunk, [&](const ByteRange& range) {
    if (first) flow.offset = range.offset;
    first = false;
    flow.bytes += range.bytes;
  });
  return flow;
}

FlowCounts PatSchedule::CountsOf(Participant p) const {
  if (p >= rounds_.ranks()) return {};
  return {chunk_count(), chunk_count()};
}

void PatSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (p < rounds_.ranks()) out->push_back(Make(p, 0));
}

void PatSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const std::uint32_t message = arrived.chunk % rounds_.messages();
  for (const std::uint32_t child : rounds_.children(message))
    children->push_back(Make(arrived.destination, arrived.chunk - message + child));
}

std::uint32_t PatSchedule::ParentCount(const GroupFlow& flow) const {
  return rounds_.parents(flow.chunk % rounds_.messages()).size();
}

void PatSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const std::uint32_t message = flow.chunk % rounds_.messages();
  for (const std::uint32_t parent : rounds_.parents(message)) {
    const std::uint32_t distance = rounds_.distance(parent);
    const Participant from =
        rounds_.reduces() ? Behind(flow.source, distance) : Ahead(flow.source, distance);
    parents->push_back(Make(from, flow.chunk - message + parent));
  }
}

std::optional<GroupFlow> PatSchedule::NextInTurn(const GroupFlow& posted) const {
  if (posted.chunk + 1 == chunk_count()) return {};
  return Make(posted.source, posted.chunk + 1);
}

std::optional<GroupFlow> PatSchedule::PreviousInTurn(const GroupFlow& flow) const {
  if (flow.chunk == 0) return {};
  return Make(flow.source, flow.chunk - 1);
}

void PatSchedule::ForEachRange(const GroupFlow& flow,
                               const std::function<void(const ByteRange&)>& visit) const {
  ForEachBlock(flow.source, flow.chunk, visit);
}

void PatSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (std::uint32_t chunk = 0; chunk < chunk_count(); ++chunk) {
    for (Participant rank = 0; rank < rounds_.ranks(); ++rank) visit(Make(rank, chunk));
  }
}

/// Pieces of a block differ by a byte at most; messages of several blocks are visited one by one.
void PatSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  for (std::uint32_t message = 0; message < rounds_.messages(); ++message) {
    const bool one_block = rounds_.offsets(message).size() == 1;
    for (Participant rank = 0; rank < rounds_.ranks(); ++rank) {
      const GroupFlow first = Make(rank, message);
      if (one_block) {
        const std::uint32_t ahead = *rounds_.offsets(message).begin();
        const Participant base = rounds_.reduces() ? rank : first.destination;
        const std::int64_t block = PartOf({0, bytes_}, rounds_.ranks(), Ahead(base, ahead)).bytes;
        const auto large = static_cast<std::uint64_t>(block % pieces_);
        visit({rank, first.destination, block / pieces_, pieces_ - large});
        visit({rank, first.destination, block / pieces_ + 1, large});
        continue;
      }
      for (std::uint32_t piece = 0; piece < pieces_; ++piece)
        visit({rank, first.destination, Make(rank, message + piece * rounds_.messages()).bytes, 1});
    }
  }
}

}  // namespace heddle
