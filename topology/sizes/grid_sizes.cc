// SPDX-License-Identifier: GPL-2.0-only
#include "topology/sizes/grid_sizes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace heddle {
namespace {

constexpr std::uint32_t kMostDimensions = 6, kMostUneven = 4;

/// Cables that join the halves of a line.
double CutOfLine(Line line, std::uint32_t length) {
  if (line == Line::kFull) return static_cast<double>(length / 2) * (length - length / 2);
  return line == Line::kRing && length > 2 ? 2 : 1;
}

/// Calls `use` with every ascending list of `dimensions` lengths from `least` whose product is
/// `routers`.
void ForEachList(std::uint32_t routers, std::uint32_t dimensions, std::uint32_t least,
                 std::vector<std::uint32_t>* lengths,
                 const std::function<void(const std::vector<std::uint32_t>&)>& use) {
  if (dimensions == 1) {
    if (routers < least ||
        routers > std::uint64_t{kMostUneven} * (lengths->empty() ? routers : lengths->front())) {
      return;
    }
    lengths->push_back(routers);
    use(*lengths);
    lengths->pop_back();
    return;
  }
  for (const std::uint32_t length : Divisors(routers)) {
    if (length < least) continue;
    if (std::uint64_t{length} * length > routers && dimensions == 2) break;
    lengths->push_back(length);
    ForEachList(routers / length, dimensions - 1, length, lengths, use);
    lengths->pop_back();
  }
}

/// The best grid of so many dimensions and GPUs a router.
std::optional<GridSizes> BestOf(const GridWish& wish, std::uint32_t dimensions,
                                std::uint32_t gpus_per_router) {
  std::optional<GridSizes> best;
  std::vector<std::uint32_t> lengths;
  ForEachList(wish.size.gpus / gpus_per_router, dimensions, 2, &lengths,
              [&](const std::vector<std::uint32_t>& found) {
                const GridSizes sizes{found, gpus_per_router};
                if (wish.has_ratio && !IsNear(MiddleRatio(wish.line, sizes), wish.size.ratio)) {
                  return;
                }
                if (!best || found.back() < best->lengths.back()) best = sizes;
              });
  return best;
}

std::vector<std::uint32_t> RouterSizes(const GridWish& wish) {
  if (wish.gpus_per_router > 0) return {wish.gpus_per_router};
  if (!wish.has_ratio) return {1};
  return Divisors(wish.size.gpus);
}

}  // namespace

double MiddleRatio(Line line, const GridSizes& sizes) {
  const double routers = std::accumulate(sizes.lengths.begin(), sizes.lengths.end(), 1.0,
                                         [](double a, double b) { return a * b; });
  double worst = 0;
  for (const std::uint32_t length : sizes.lengths) {
    if (length < 2) continue;
    const double cables = routers / length * CutOfLine(line, length);
    worst = std::max(worst, routers * sizes.gpus_per_router / 2 / cables);
  }
  return worst;
}

std::optional<GridSizes> FindGridSizes(const GridWish& wish) {
  const std::uint32_t most = wish.has_ratio ? kMostDimensions : wish.dimensions;
  for (std::uint32_t dimensions = wish.dimensions; dimensions <= most; ++dimensions) {
    for (const std::uint32_t gpus_per_router : RouterSizes(wish)) {
      if (wish.size.gpus % gpus_per_router != 0) continue;
      if (!ServersFit(wish.size.gpus_per_server, gpus_per_router)) continue;
      if (std::optional<GridSizes> found = BestOf(wish, dimensions, gpus_per_router)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace heddle
