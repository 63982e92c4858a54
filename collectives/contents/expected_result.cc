// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/expected_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectives/schedule/pieces.h"

namespace heddle {
namespace {

std::vector<NodeId> GpusOf(const GroupShape& shape) {
  return {shape.gpus(), shape.gpus() + shape.ranks()};
}

float ElementAt(const char* bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

bool HasTwoBuffers(Operation operation) {
  return operation == Operation::kAllToAll || operation == Operation::kSendRecv;
}

std::int64_t ResultBytes(const CollectiveSpec& spec, const GroupShape& shape, Participant me) {
  if (spec.operation != Operation::kAllToAll || !shape.is_rank(me)) return spec.bytes;
  return PartOf({0, spec.bytes}, shape.ranks(), me).bytes * shape.ranks();
}

const FloatPattern* ExpectedResults::Of(NodeId gpu) {
  std::unique_ptr<FloatPattern>& pattern = of_gpu_[gpu.value];
  if (!pattern) pattern = std::make_unique<FloatPattern>(gpu);
  return pattern.get();
}

const FloatPattern* ExpectedResults::OfAll(const GroupShape& shape) {
  std::vector<std::uint32_t> key;
  for (const NodeId gpu : GpusOf(shape)) key.push_back(gpu.value);
  std::unique_ptr<FloatPattern>& pattern = of_groups_[key];
  if (!pattern) pattern = std::make_unique<FloatPattern>(GpusOf(shape));
  return pattern.get();
}

std::vector<ExpectedResults::Piece> ExpectedResults::PiecesOf(const CollectiveSpec& spec,
                                                              const GroupShape& shape,
                                                              Participant me) {
  const std::uint32_t ranks = shape.ranks();
  const auto part = [&](std::uint32_t k) { return PartOf({0, spec.bytes}, ranks, k); };
  std::vector<Piece> pieces;
  switch (spec.operation) {
    case Operation::kAllReduce:
      return {{0, spec.bytes, 0, OfAll(shape)}};
    case Operation::kReduce:
      if (me == spec.root) pieces = {{0, spec.bytes, 0, OfAll(shape)}};
      return pieces;
    case Operation::kReduceScatter:
      return {{part(me).offset, part(me).bytes, part(me).offset, OfAll(shape)}};
    case Operation::kBroadcast:
      return {{0, spec.bytes, 0, Of(shape.node(spec.root))}};
    case Operation::kAllGather:
      for (Participant rank = 0; rank < ranks; ++rank)
        pieces.push_back(
            {part(rank).offset, part(rank).bytes, part(rank).offset, Of(shape.node(rank))});
      return pieces;
    case Operation::kAllToAll:
      for (Participant rank = 0; rank < ranks; ++rank) {
        if (rank != me)
          pieces.push_back(
              {rank * part(me).bytes, part(me).bytes, part(me).offset, Of(shape.node(rank))});
      }
      return pieces;
    case Operation::kSendRecv: {
      const bool to_next = spec.peer == GroupShape::kNone;
      const Participant from = to_next ? (me + ranks - 1) % ranks : spec.root;
      if (to_next || me == spec.peer) pieces = {{0, spec.bytes, 0, Of(shape.node(from))}};
      return pieces;
    }
    case Operation::kNone:
      break;
  }
  return pieces;
}

std::string ExpectedResults::FindFault(const CollectiveSpec& spec, const GroupShape& shape,
                                       Participant me, std::uint32_t operation, PartBuffer* buffer,
                                       std::int64_t* bytes) {
  const std::int64_t shift = FloatPattern::ShiftOf(operation) * FloatPattern::kElement;
  if (!HasTwoBuffers(spec.operation)) buffer->FillGaps();
  std::vector<std::int64_t> cut = buffer->cut();
  std::sort(cut.begin(), cut.end());
  for (const Piece& piece : PiecesOf(spec, shape, me)) {
    *bytes += piece.bytes;
    for (std::int64_t done = 0; done < piece.bytes;) {
      const char* found = buffer->result() + piece.at + done;
      const std::int64_t from = piece.from + shift + done;
      const std::int64_t off = piece.pattern->FindDifference(found, from, piece.bytes - done);
      if (off < 0) break;
      const std::int64_t element = (piece.at + done + off) / FloatPattern::kElement;
      if (!std::binary_search(cut.begin(), cut.end(), element)) {
        const std::int64_t back =
            (piece.at + done + off) % FloatPattern::kElement;  // into the element
        const float* expected = piece.pattern->From((from + off - back) / FloatPattern::kElement);
        return fmt::format("element {} is {}, expected {}", element,
                           ElementAt(buffer->result() + element * FloatPattern::kElement),
                           *expected);
      }
      done = std::min(piece.bytes, (element + 1) * FloatPattern::kElement - piece.at);
    }
  }
  return "";
}

}  // namespace heddle
