// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/nvls_tree_schedule.h"

#include "collectives/schedule/pieces.h"
#include "collectives/trees/all_reduce_trees.h"
#include "collectives/trees/double_binary_tree.h"
#include "collectives/trees/gather_scatter_trees.h"
#include "collectives/trees/spanning_trees.h"

namespace heddle {
namespace {

class NvlsTrees final : public SpanningTrees {
 public:
  using SpanningTrees::SpanningTrees;

  std::uint32_t channels() const override { return shape().fewest_locals(); }
  bool Contains(std::uint32_t channel, Participant p) const override {
    return shape().is_rank(p) || (shape().is_nvswitch(p) && UsesSwitch(ServerOf(p)) &&
                                  SwitchOf(channel, ServerOf(p)) == p);
  }

  Participant Parent(std::uint32_t channel, Participant p) const override {
    const std::uint32_t server = ServerOf(p);
    if (!shape().is_rank(p)) return HeadOf(channel, server);
    if (p != HeadOf(channel, server)) return SwitchOf(channel, server);
    const std::uint32_t above = TreeOf(channel).Parent(server);
    return above == DoubleBinaryTree::kNone ? GroupShape::kNone : HeadOf(channel, above);
  }

  std::uint32_t ChildCount(std::uint32_t channel, Participant p) const override {
    const std::uint32_t server = ServerOf(p);
    if (!shape().is_rank(p)) return shape().locals(server) - 1;
    if (p != HeadOf(channel, server)) return 0;
    return (UsesSwitch(server) ? 1 : 0) + TreeOf(channel).ChildCount(server);
  }

  /// Children of a head: the NVSwitch first; of an NVSwitch: the ranks except the head.
  Participant Child(std::uint32_t channel, Participant p, std::uint32_t i) const override {
    const std::uint32_t server = ServerOf(p);
    if (!shape().is_rank(p)) return shape().local(server, i < channel ? i : i + 1);
    if (!UsesSwitch(server)) return HeadOf(channel, TreeOf(channel).Child(server, i));
    return i == 0 ? SwitchOf(channel, server)
                  : HeadOf(channel, TreeOf(channel).Child(server, i - 1));
  }

 private:
  std::uint32_t ServerOf(Participant p) const { return shape().server_of(p); }
  Participant HeadOf(std::uint32_t channel, std::uint32_t server) const {
    return shape().local(server, channel);
  }
  bool UsesSwitch(std::uint32_t server) const { return shape().locals(server) > 1; }
  Participant SwitchOf(std::uint32_t channel, std::uint32_t server) const {
    return shape().nvswitch(server, channel % shape().nvswitches(server));
  }
  DoubleBinaryTree TreeOf(std::uint32_t channel) const { return {shape().servers(), channel % 2}; }
};

}  // namespace

std::unique_ptr<SpanningTrees> MakeNvlsTrees(const GroupShape& shape) {
  return std::make_unique<NvlsTrees>(shape);
}

std::unique_ptr<Schedule> MakeNvlsTreeSchedule(Operation operation, std::int64_t bytes,
                                               const GroupShape& shape,
                                               const ChunkOptions& options) {
  auto trees = MakeNvlsTrees(shape);
  const auto in_flight = static_cast<std::uint32_t>(options.chunks_in_flight);
  if (operation != Operation::kAllReduce) {
    const std::uint32_t pieces = PiecesOf(bytes, shape.ranks(), options.chunk_bytes);
    return MakePartTrees(operation, std::move(trees), bytes, pieces, in_flight);
  }
  const std::uint32_t pieces = PiecesOf(bytes, trees->channels(), options.chunk_bytes);
  return std::make_unique<AllReduceTrees>(std::move(trees), bytes, pieces, in_flight);
}

}  // namespace heddle
