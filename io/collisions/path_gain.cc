// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/path_gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace heddle {
namespace {

double SpreadOfWeights(const WeighedConnection& one) {
  double least = 1, most = 0;
  for (const WeighedConnection::Pair& pair : one.pairs) {
    least = std::min(least, pair.weight);
    most = std::max(most, pair.weight);
  }
  return most - least;
}

/// The first `most` of `all` by `before`, without changing their order else.
template <class Item, class Before>
std::vector<const Item*> First(const std::vector<Item>& all, std::size_t most,
                               const Before& before) {
  std::vector<const Item*> order;
  for (const Item& item : all) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Item* a, const Item* b) { return before(*a, *b); });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace

PathMeans MeansOf(const std::vector<ConnectionShares>& connections) {
  PathMeans means;
  std::vector<double> gains;
  for (const ConnectionShares& one : connections) {
    means.paths += static_cast<double>(one.distinct_paths());
    means.least_share += one.least_share();
    means.most_share += one.most_share();
    gains.push_back(one.most_gain());
  }
  const auto number = static_cast<double>(gains.size());
  for (double* sum : {&means.paths, &means.least_share, &means.most_share}) *sum /= number;
  const auto middle = gains.begin() + static_cast<std::ptrdiff_t>(gains.size() / 2);
  std::nth_element(gains.begin(), middle, gains.end());
  if (std::isfinite(*middle)) means.median_gain = *middle;
  return means;
}

PathGain GainOver(const ConnectionTimes& here, const std::string& here_file,
                  const ConnectionTimes& there, const std::string& there_file) {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.bytes == b.second.bytes;
  };
  if (!std::equal(here.begin(), here.end(), there.begin(), there.end(), same)) {
    FailInput({there_file, 0}, fmt::format("other traffic than {}", here_file),
              "a result with the same bytes of each connection");
  }
  std::vector<double> gains;
  for (const auto& [name, time] : here) {
    const std::int64_t other_ps = there.at(name).time_ps;
    if (time.time_ps > 0 && other_ps >= 0)
      gains.push_back(static_cast<double>(other_ps) / static_cast<double>(time.time_ps) - 1);
  }
  PathGain found{there_file, gains.size()};
  if (gains.empty()) return found;
  std::sort(gains.begin(), gains.end());
  for (const double gain : gains) {
    found.mean += gain;
    if (gain < 0) ++found.slower;
  }
  found.mean /= static_cast<double>(gains.size());
  const auto at = [&](double share) {
    return gains[static_cast<std::size_t>(share * static_cast<double>(gains.size() - 1))];
  };
  found.p10 = at(0.1);
  found.p90 = at(0.9);
  return found;
}

std::vector<const ConnectionShares*> FurthestShares(
    const std::vector<ConnectionShares>& connections, std::size_t most) {
  return First(connections, most, [](const ConnectionShares& a, const ConnectionShares& b) {
    return a.most_share() - a.least_share() > b.most_share() - b.least_share();
  });
}

std::vector<const WeighedConnection*> FurthestWeights(
    const std::vector<WeighedConnection>& connections, std::size_t most) {
  return First(connections, most, [](const WeighedConnection& a, const WeighedConnection& b) {
    return SpreadOfWeights(a) > SpreadOfWeights(b);
  });
}

}  // namespace heddle
