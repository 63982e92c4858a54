// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/tree_schedule.h"

#include <algorithm>
#include <cmath>

#include "collectives/schedule/pieces.h"
#include "collectives/trees/all_reduce_trees.h"
#include "collectives/trees/double_binary_tree.h"
#include "collectives/trees/spanning_trees.h"

namespace heddle {
namespace {

class ChainTrees final : public SpanningTrees {
 public:
  explicit ChainTrees(const GroupShape& shape)
      : SpanningTrees(shape), trees_(shape.servers() > 1 ? 2 : 1) {}

  std::uint32_t channels() const override { return trees_ * shape().fewest_locals(); }
  bool Contains(std::uint32_t /*channel*/, Participant p) const override {
    return shape().is_rank(p);
  }

  Participant Parent(std::uint32_t channel, Participant p) const override {
    const std::uint32_t server = shape().server_of(p), place = PlaceOf(channel, p);
    if (place > 0) return At(channel, server, place - 1);
    const std::uint32_t above = TreeOf(channel).Parent(server);
    return above == DoubleBinaryTree::kNone ? GroupShape::kNone : At(channel, above, 0);
  }

  std::uint32_t ChildCount(std::uint32_t channel, Participant p) const override {
    const std::uint32_t server = shape().server_of(p), place = PlaceOf(channel, p);
    return (HasNext(server, place) ? 1 : 0) + (place == 0 ? TreeOf(channel).ChildCount(server) : 0);
  }

  /// The next rank of the chain comes first.
  Participant Child(std::uint32_t channel, Participant p, std::uint32_t i) const override {
    const std::uint32_t server = shape().server_of(p), place = PlaceOf(channel, p);
    if (!HasNext(server, place)) return At(channel, TreeOf(channel).Child(server, i), 0);
    return i == 0 ? At(channel, server, place + 1)
                  : At(channel, TreeOf(channel).Child(server, i - 1), 0);
  }

 private:
  DoubleBinaryTree TreeOf(std::uint32_t channel) const {
    return {shape().servers(), channel % trees_};
  }
  bool HasNext(std::uint32_t server, std::uint32_t place) const {
    return place + 1 < shape().locals(server);
  }
  /// A rank's place in its server's chain, and the rank at a place.
  std::uint32_t PlaceOf(std::uint32_t channel, Participant rank) const {
    const std::uint32_t locals = shape().locals(shape().server_of(rank));
    return (shape().local_of(rank) + locals - channel / trees_) % locals;
  }
  Participant At(std::uint32_t channel, std::uint32_t server, std::uint32_t place) const {
    return shape().local(server, (channel / trees_ + place) % shape().locals(server));
  }

  std::uint32_t trees_;  ///< number of binary trees between the servers
};

}  // namespace

std::unique_ptr<SpanningTrees> MakeChainTrees(const GroupShape& shape) {
  return std::make_unique<ChainTrees>(shape);
}

std::int64_t TreePiece(std::int64_t bytes, Protocol protocol, const GroupShape& shape,
                       std::uint32_t channels, const ChunkOptions& options) {
  if (protocol != Protocol::kLl128 || !options.small_pieces) return options.chunk_bytes;
  constexpr std::int64_t kLargest = 576'000;
  constexpr double kPartOfServer = 0.1;
  const double locals = static_cast<double>(shape.ranks()) / shape.servers();
  const double steps = 1 + std::ilogb(shape.servers()) + kPartOfServer * locals;
  std::int64_t piece = kLargest;
  const auto halve = [&](double fewest, std::int64_t above) {
    while (static_cast<double>(bytes / (channels * piece)) < steps * fewest / locals &&
           piece > above)
      piece /= 2;
  };
  halve(64, std::int64_t{128} << 10);
  halve(16, std::int64_t{32} << 10);
  return std::min(piece, options.chunk_bytes);
}

std::unique_ptr<Schedule> MakeTreeSchedule(std::int64_t bytes, Protocol protocol,
                                           const GroupShape& shape, const ChunkOptions& options) {
  auto trees = MakeChainTrees(shape);
  const std::uint32_t channels = trees->channels();
  const std::uint32_t pieces =
      PiecesOf(bytes, channels, TreePiece(bytes, protocol, shape, channels, options));
  return std::make_unique<AllReduceTrees>(std::move(trees), bytes, pieces,
                                          static_cast<std::uint32_t>(options.chunks_in_flight));
}

}  // namespace heddle
