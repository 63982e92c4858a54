// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/measured_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>

#include "io/table/json_document.h"

namespace heddle {
namespace {

/// The smallest time that is not below a share of all. `sorted` is not empty.
double Percentile(const std::vector<std::int64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return static_cast<double>(sorted[std::max<std::size_t>(rank, 1) - 1]);
}

struct KindRows {
  std::vector<std::int64_t> times;
  double bus_bytes = 0;         ///< bytes times the bus factor
  double ideal = 0, known = 0;  ///< least times, and times of collectives with one [ps]
  std::string algorithm;
};

std::string AlgorithmText(const std::string& algorithm, const std::string& protocol) {
  return protocol == "NONE" ? algorithm : algorithm + " " + protocol;
}

}  // namespace

std::uint32_t WarmupPasses(const AttributeMap& root) {
  if (root.Text("backend").value_or("") != "physical") return 0;
  const std::string passes = root.Text("option physical.warmup").value_or("0");
  return static_cast<std::uint32_t>(std::strtoul(passes.c_str(), nullptr, 10));
}

TimeSpread SpreadOf(std::vector<std::int64_t> times) {
  TimeSpread spread;
  spread.number = times.size();
  if (times.empty()) return spread;
  std::sort(times.begin(), times.end());
  spread.smallest = static_cast<double>(times.front());
  spread.largest = static_cast<double>(times.back());
  spread.mean =
      std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  spread.p50 = Percentile(times, 0.5);
  spread.p99 = Percentile(times, 0.99);
  return spread;
}

std::vector<KindTimes> TimesOfKinds(const Table& collectives, std::uint32_t first_pass,
                                    std::uint32_t warmups) {
  const auto& pass = GetColumn<std::uint32_t>(collectives, "pass");
  const auto& op = GetColumn<std::string>(collectives, "op");
  const auto& group = GetColumn<std::string>(collectives, "group_type");
  const auto& ranks = GetColumn<std::uint32_t>(collectives, "ranks");
  const auto& bytes = GetColumn<std::int64_t>(collectives, "bytes");
  const auto& time = GetColumn<std::int64_t>(collectives, "time_ps");
  const auto& ideal = GetColumn<std::int64_t>(collectives, "ideal_ps");
  const auto& bus = GetColumn<double>(collectives, "busbw");
  const auto& algorithm = GetColumn<std::string>(collectives, "algorithm");
  const auto& protocol = GetColumn<std::string>(collectives, "protocol");
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::int64_t>;
  std::map<Key, KindRows> kinds;
  const auto& number = GetColumn<std::uint32_t>(collectives, "group");
  std::map<std::pair<Key, std::uint32_t>, std::uint32_t> seen;  // of a group, if some do not count
  for (std::size_t i = 0; i < op.size(); ++i) {
    if (time[i] < 0 || pass[i] < first_pass) continue;
    const Key key{op[i], group[i], ranks[i], bytes[i]};
    if (warmups > 0 && seen[{key, number[i]}]++ < warmups) continue;
    KindRows& kind = kinds[key];
    const std::string by = AlgorithmText(algorithm[i], protocol[i]);
    kind.algorithm = kind.times.empty() || kind.algorithm == by ? by : "several";
    kind.times.push_back(time[i]);
    kind.ideal += static_cast<double>(ideal[i]);
    kind.known += ideal[i] > 0 ? static_cast<double>(time[i]) : 0;
    kind.bus_bytes += bus[i] * static_cast<double>(time[i]) * 1e-12;
  }
  std::vector<KindTimes> result;
  for (const auto& [key, rows] : kinds) {
    KindTimes kind;
    std::tie(kind.operation, kind.group, kind.ranks, kind.bytes) = key;
    kind.algorithm = rows.algorithm;
    kind.time = SpreadOf(rows.times);
    const double seconds = kind.time.mean * 1e-12 * static_cast<double>(kind.time.number);
    kind.bus_bandwidth = seconds > 0 ? rows.bus_bytes / seconds : 0;
    kind.line_rate = rows.known > 0 ? rows.ideal / rows.known : 0;
    result.push_back(kind);
  }
  return result;
}

const KindTimes* FindKind(const std::vector<KindTimes>& kinds, const KindTimes& like) {
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const KindTimes& kind) {
    return kind.operation == like.operation && kind.group == like.group &&
           kind.ranks == like.ranks && kind.bytes == like.bytes;
  });
  return at == kinds.end() ? nullptr : &*at;
}

std::vector<KindTimes> LongestKinds(std::vector<KindTimes> kinds, std::size_t most) {
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [](const KindTimes& kind) { return kind.bus_bandwidth <= 0; }),
              kinds.end());
  if (kinds.size() <= most) return kinds;
  const auto together = [](const KindTimes& kind) {
    return kind.time.mean * static_cast<double>(kind.time.number);
  };
  std::stable_sort(kinds.begin(), kinds.end(), [&](const KindTimes& a, const KindTimes& b) {
    return together(a) > together(b);
  });
  kinds.resize(most);
  return kinds;
}

PrintedColumns<KindTimes> KindColumns() {
  return {{"operation", &KindTimes::operation},
          {"group", &KindTimes::group},
          {"algorithm", &KindTimes::algorithm},
          {"ranks", &KindTimes::ranks},
          {"size_bytes", &KindTimes::bytes},
          {"number", [](const KindTimes& kind) { return kind.time.number; }},
          {"smallest_ps", [](const KindTimes& kind) { return kind.time.smallest; }},
          {"mean_ps", [](const KindTimes& kind) { return kind.time.mean; }},
          {"p50_ps", [](const KindTimes& kind) { return kind.time.p50; }},
          {"p99_ps", [](const KindTimes& kind) { return kind.time.p99; }},
          {"largest_ps", [](const KindTimes& kind) { return kind.time.largest; }},
          {"busbw_gbyte_per_s", [](const KindTimes& kind) { return kind.bus_bandwidth * 1e-9; }},
          {"of_line_rate",
           [](const KindTimes& kind) { return NullUnless(kind.line_rate > 0, kind.line_rate); }}};
}

TimeSpread TimesOfPasses(const Table& collectives, std::uint32_t first_pass) {
  const auto& pass = GetColumn<std::uint32_t>(collectives, "pass");
  const auto& end = GetColumn<std::int64_t>(collectives, "end_ps");
  std::map<std::uint32_t, std::int64_t> ends;
  for (std::size_t i = 0; i < pass.size(); ++i) ends[pass[i]] = std::max(ends[pass[i]], end[i]);
  std::vector<std::int64_t> times;
  std::int64_t before = 0;
  for (const auto& [number, at] : ends) {
    if (number >= first_pass) times.push_back(at - before);
    before = at;
  }
  return SpreadOf(std::move(times));
}

}  // namespace heddle
