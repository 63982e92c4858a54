// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/grid_search.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using Cables = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Lengths = std::vector<std::uint32_t>;

bool JoinsNeighbours(const Lengths& lengths, std::uint32_t a, std::uint32_t b) {
  std::size_t differing = 0;
  bool near = true;
  for (const std::uint32_t length : lengths) {
    const std::uint32_t x = a % length, y = b % length;
    a /= length;
    b /= length;
    if (x == y) continue;
    ++differing;
    const std::uint32_t apart = x > y ? x - y : y - x;
    near = near && (apart == 1 || apart == length - 1);
  }
  return differing == 1 && near;
}

class Search {
 public:
  Search(std::uint32_t nodes, const Cables& cables) : nodes_(nodes), cables_(cables) {
    for (const auto& [a, b] : cables) {
      if (a == 0) of_first_.insert(b);
      if (b == 0) of_first_.insert(a);
    }
  }

  /// Extends `lengths`, whose product is `stride`, to those of the whole grid.
  bool Extend(std::uint32_t stride, Lengths* lengths) const {
    if (stride == nodes_) {
      return std::all_of(cables_.begin(), cables_.end(), [&](const auto& cable) {
        return JoinsNeighbours(*lengths, cable.first, cable.second);
      });
    }
    if (of_first_.count(stride) == 0) return false;  // the next node in this dimension
    for (const std::uint32_t next : of_first_) {
      if (next > stride && next % stride == 0 && nodes_ % next == 0 &&
          Try(stride, next / stride, lengths))
        return true;
    }
    return nodes_ % stride == 0 && Try(stride, nodes_ / stride, lengths);
  }

 private:
  bool Try(std::uint32_t stride, std::uint32_t length, Lengths* lengths) const {
    lengths->push_back(length);
    if (Extend(stride * length, lengths)) return true;
    lengths->pop_back();
    return false;
  }

  std::uint32_t nodes_;
  const Cables& cables_;
  std::set<std::uint32_t> of_first_;  ///< neighbours of node 0
};

}  // namespace

std::vector<std::uint32_t> FindGrid(std::uint32_t nodes, const Cables& cables) {
  Lengths lengths;
  if (nodes < 2 || cables.empty() || !Search(nodes, cables).Extend(1, &lengths)) return {};
  return lengths;
}

std::uint32_t CoordinateIn(const std::vector<std::uint32_t>& lengths, std::size_t dimension,
                           std::uint32_t node) {
  for (std::size_t d = 0; d < dimension; ++d) node /= lengths[d];
  return node % lengths[dimension];
}

}  // namespace heddle
