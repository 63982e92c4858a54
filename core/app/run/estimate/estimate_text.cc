// SPDX-License-Identifier: GPL-2.0-only
/// The estimate of a run as text.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/app/base/cli/rank_lines.h"
#include "core/app/run/estimate/run_estimate.h"

namespace heddle {
namespace {

std::string SizeText(std::int64_t bytes) { return ToText(Bytes{bytes}); }

/// "1.9 G", "59 M", "310 k", "42".
std::string CountText(double count) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (count >= 10'000 && unit + 1 < std::size(kUnits)) count /= 1000, ++unit;
  if (unit > 0 && count < 10) return fmt::format("{:.1f}{}", count, kUnits[unit]);
  return fmt::format("{:.0f}{}", count, kUnits[unit]);
}

/// "under 1 s", "about 40 s", "about 6 min", "about 2.5 h".
std::string DurationText(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  return seconds < 7200 ? fmt::format("about {:.0f} min", seconds / 60)
                        : fmt::format("about {:.1f} h", seconds / 3600);
}

std::vector<std::int64_t> ByRank(const RunEstimate& estimate, Structure structure) {
  std::vector<std::int64_t> bytes;
  for (const MemoryEstimate& rank : estimate.memory) bytes.push_back(rank.structures.of(structure));
  return bytes;
}

template <class Value>
std::vector<std::int64_t> ByRank(const RunEstimate& estimate, Value value) {
  std::vector<std::int64_t> bytes;
  for (const MemoryEstimate& rank : estimate.memory) bytes.push_back(value(rank));
  return bytes;
}

std::string FasterLine(const RunEstimate& estimate) {
  return estimate.faster.empty() ? "" : fmt::format("faster           {}\n", estimate.faster);
}

std::string TrafficLines(const RunEstimate& estimate) {
  return fmt::format(
      "flows            {} (queue pairs)\n"
      "packet-hops      {}: packets, data and ACKs, times links\n"
      "events           {}\n"
      "time             {} (rough: by the rates of the machine of docs/performance.md{})\n{}",
      CountText(estimate.flows), CountText(estimate.packet_hops), CountText(estimate.events),
      DurationText(estimate.seconds), estimate.replays ? "; less if episodes repeat" : "",
      FasterLine(estimate));
}

std::string RoomText(const MemoryRoom& room) {
  return room.bounded() ? fmt::format("{} ({})", SizeText(room.bytes), room.bound) : "unbounded";
}

}  // namespace

std::string DescribeShortly(const RunEstimate& estimate) {
  return fmt::format(
      "expected         {} packet-hops, {} events, {}{}, {}{}\n{}", CountText(estimate.packet_hops),
      CountText(estimate.events), DurationText(estimate.seconds),
      estimate.replays ? " or less (what repeats is replayed)" : "",
      SizeText(estimate.most_memory()),
      estimate.memory.size() > 1 ? " on the largest rank" : " of memory", FasterLine(estimate));
}

std::string DescribeEstimate(const RunEstimate& estimate, const std::string& result_size) {
  std::string text = estimate.has_flows ? TrafficLines(estimate) : "";
  text +=
      fmt::format("result           {}\n", result_size.empty() ? "none (-o FILE)" : result_size);
  text += RankHead(estimate.memory.size());
  text += RankLine("before the input was read",
                   ByRank(estimate, [](const MemoryEstimate& m) { return m.before; }));
  for (std::size_t i = 0; i < kStructures; ++i) {
    const std::vector<std::int64_t> bytes = ByRank(estimate, static_cast<Structure>(i));
    if (std::any_of(bytes.begin(), bytes.end(), [](std::int64_t b) { return b > 0; })) {
      text += RankLine(ToText(static_cast<Structure>(i)), bytes);
    }
  }
  text += RankLine("allocator, MPI, code",
                   ByRank(estimate, [](const MemoryEstimate& m) { return m.overhead; }));
  text += RankLine("sum", ByRank(estimate, [](const MemoryEstimate& m) { return m.peak(); }));
  const MemoryDemand& demand = estimate.demand;
  text += fmt::format("available        {} for {} more on this node\n", RoomText(demand.node_room),
                      SizeText(demand.node));
  if (demand.process_room.bounded())
    text += fmt::format("                 {} a process\n", RoomText(demand.process_room));
  return text;
}

void CheckMemory(const MemoryDemand& demand, const MemoryEstimate& mine) {
  if (demand.fits()) return;
  const bool node = demand.node > demand.node_room.bytes;
  const MemoryRoom& room = node ? demand.node_room : demand.process_room;
  const Structure most = mine.structures.largest();
  throw Error(
      ExitCode::kTooLittleMemory,
      fmt::format(
          "too little memory: {} {} more, by the estimate, and there are {} ({}). Most of a rank's "
          "{} is for {}: "
          "{}. What helps: more ranks on more machines, --record flows=none or sample:N, a smaller "
          "workload. "
          "--estimate shows all of it, --ignore-memory runs anyway",
          node ? fmt::format("the {} rank{} of this node need{}", demand.ranks_here,
                             demand.ranks_here == 1 ? "" : "s", demand.ranks_here == 1 ? "s" : "")
               : "this process needs",
          SizeText(node ? demand.node : demand.mine), SizeText(room.bytes), room.bound,
          SizeText(mine.peak()), ToText(most), SizeText(mine.structures.of(most))));
}

EstimateError CompareEstimate(const RunEstimate& estimate, const RunMeasured& measured) {
  const auto off = [](double estimated, double found) {
    return found > 0 ? estimated / found - 1 : 0;
  };
  return {
      off(estimate.packet_hops, measured.packet_hops), off(estimate.events, measured.events),
      off(static_cast<double>(estimate.most_memory()), static_cast<double>(measured.most_memory)),
      off(estimate.seconds, measured.seconds), estimate.replays};
}

std::string Describe(const EstimateError& error) {
  if (error.replays) {
    return fmt::format("estimate was     packet-hops {:+.1f} %, memory {:+.1f} %\n",
                       100 * error.packet_hops, 100 * error.memory);
  }
  return fmt::format(
      "estimate was     packet-hops {:+.1f} %, events {:+.1f} %, memory {:+.1f} %, time {:+.1f} "
      "%\n",
      100 * error.packet_hops, 100 * error.events, 100 * error.memory, 100 * error.seconds);
}

std::vector<Attribute> EstimateAttributes(const RunEstimate& estimate) {
  std::vector<Attribute> expected = {
      {"estimated_memory_mib", static_cast<double>(estimate.most_memory()) / (1 << 20)},
      {"estimated_result_bytes", static_cast<std::int64_t>(estimate.result.result)}};
  if (!estimate.has_flows) return expected;
  expected.push_back({"estimated_packet_hops", static_cast<std::int64_t>(estimate.packet_hops)});
  expected.push_back({"estimated_events", static_cast<std::int64_t>(estimate.events)});
  expected.push_back({"estimated_run_seconds", estimate.seconds});
  return expected;
}

}  // namespace heddle
