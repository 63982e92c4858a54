// SPDX-License-Identifier: GPL-2.0-only
#include "topology/sizes/dragonfly_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace heddle {
namespace {

bool IsFree(std::uint32_t given, std::uint32_t value) { return given == 0 || given == value; }

class DragonflySearch {
 public:
  explicit DragonflySearch(const DragonflyWish& wish) : wish_(wish) {}

  std::optional<DragonflySizes> Best() {
    for (const std::uint32_t p : Divisors(wish_.size.gpus)) {
      if (!IsFree(wish_.given.gpus_per_router, p)) continue;
      if (!ServersFit(wish_.size.gpus_per_server, p)) continue;
      const std::uint32_t routers = wish_.size.gpus / p;
      for (const std::uint32_t a : Divisors(routers)) TryGroups({p, a, routers / a, 0});
    }
    return best_;
  }

 private:
  void TryGroups(DragonflySizes sizes) {
    const std::uint32_t p = sizes.gpus_per_router, a = sizes.routers;
    if (sizes.groups < 2 || !IsFree(wish_.given.routers, a)) return;
    if (!IsFree(wish_.given.groups, sizes.groups)) return;
    if (std::uint64_t{p} * a % wish_.size.gpus_per_server != 0) return;
    const bool is_free = wish_.given.routers == 0 || wish_.given.gpus_per_router == 0;
    if (!wish_.has_spines && is_free && a < 2 * p) return;
    // The links that the ratio needs, and the links that also reach all other groups evenly.
    const double gpus_of_group = static_cast<double>(p) * a;
    const double exact = gpus_of_group / wish_.size.ratio / Bearers(sizes);
    constexpr std::uint32_t kMore = 4;
    const auto first = static_cast<std::uint32_t>(std::max(1.0, std::floor(exact)));
    for (std::uint32_t links = first; links <= first + kMore; ++links) {
      if (!IsFree(wish_.given.global_links, links)) continue;
      sizes.global_links = links;
      Judge(sizes);
    }
  }

  /// Switches of a group that have global links.
  double Bearers(const DragonflySizes& s) const {
    return wish_.has_spines ? s.gpus_per_router : s.routers;
  }

  void Judge(const DragonflySizes& s) {
    const double of_pair = std::floor(Bearers(s) * s.global_links / (s.groups - 1));
    if (of_pair < 1) return;
    const double gpus_of_group = static_cast<double>(s.gpus_per_router) * s.routers;
    const double cables = of_pair * (s.groups - 1);
    if (!IsNear(gpus_of_group / cables, wish_.size.ratio)) return;
    const std::uint64_t ports =
        wish_.has_spines ? std::max(2 * s.gpus_per_router, s.routers + s.global_links)
                         : std::uint64_t{s.gpus_per_router} + s.routers - 1 + s.global_links;
    const std::pair<std::uint64_t, double> cost = {
        ports, std::abs(std::log(gpus_of_group / cables / wish_.size.ratio))};
    if (best_ && cost >= cost_) return;
    best_ = s;
    cost_ = cost;
  }

  const DragonflyWish& wish_;
  std::optional<DragonflySizes> best_;
  std::pair<std::uint64_t, double> cost_;  ///< ports of a switch, miss of the ratio
};

}  // namespace

std::optional<DragonflySizes> FindDragonflySizes(const DragonflyWish& wish) {
  return DragonflySearch(wish).Best();
}

}  // namespace heddle
