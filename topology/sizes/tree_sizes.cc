// SPDX-License-Identifier: GPL-2.0-only
#include "topology/sizes/tree_sizes.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace heddle {
namespace {

constexpr std::uint32_t kFewestLevels = 2, kMostLevels = 6;

/// Tries all products of `levels` numbers of children, first level first.
class TreeSearch {
 public:
  TreeSearch(const SizeWish& wish, std::uint32_t levels) : wish_(wish), levels_(levels) {}

  std::optional<TreeSizes> Best() {
    Extend(wish_.gpus);
    return best_;
  }

 private:
  void Extend(std::uint32_t rest) {
    if (sizes_.size() + 1 == levels_) {
      if (rest < 2 || rest > wish_.radix) return;
      sizes_.push_back(rest);
      Judge();
      sizes_.pop_back();
      return;
    }
    for (const std::uint32_t children : Divisors(rest)) {
      if (children < 2 || children >= wish_.radix) continue;
      if (!Fits(children)) continue;
      sizes_.push_back(children);
      Extend(rest / children);
      sizes_.pop_back();
    }
  }

  /// Whether the next level may have so many children: servers are even, or rails are.
  bool Fits(std::uint32_t children) const {
    if (!wish_.rails) return !sizes_.empty() || ServersFit(wish_.gpus_per_server, children);
    if (sizes_.empty()) return wish_.gpus / wish_.gpus_per_server % children == 0;
    return sizes_.size() > 1 || children % wish_.gpus_per_server == 0;
  }

  void Judge() {
    const auto up = static_cast<std::uint32_t>(std::max(1.0, std::round(sizes_[0] / wish_.ratio)));
    if (!IsNear(1.0 * sizes_[0] / up, wish_.ratio)) return;
    TreeSizes tree{sizes_, {1, up}};
    for (std::size_t l = 1; l + 1 < sizes_.size(); ++l) tree.parents.push_back(sizes_[l]);
    std::uint32_t ports = 0;
    double nodes = wish_.gpus, switches = 0;
    for (std::size_t l = 0; l < sizes_.size(); ++l) {
      const bool is_top = l + 1 == sizes_.size();
      ports = std::max(ports, sizes_[l] + (is_top ? 0 : tree.parents[l + 1]));
      nodes = nodes / sizes_[l] * tree.parents[l];
      switches += nodes;
    }
    if (ports > wish_.radix) return;
    const std::pair<std::uint32_t, double> cost = {ports, switches};
    if (best_ && cost >= cost_) return;
    best_ = std::move(tree);
    cost_ = cost;
  }

  const SizeWish& wish_;
  std::uint32_t levels_;
  std::vector<std::uint32_t> sizes_;
  std::optional<TreeSizes> best_;
  std::pair<std::uint32_t, double> cost_;  ///< ports of the largest switch, switches
};

}  // namespace

std::optional<TreeSizes> FindTreeSizes(const SizeWish& wish, std::uint32_t levels) {
  const std::uint32_t first = levels == 0 ? kFewestLevels : levels;
  const std::uint32_t last = levels == 0 ? kMostLevels : levels;
  for (std::uint32_t l = std::max(first, kFewestLevels); l <= std::min(last, kMostLevels); ++l) {
    if (std::optional<TreeSizes> found = TreeSearch(wish, l).Best()) return found;
  }
  return std::nullopt;
}

}  // namespace heddle
