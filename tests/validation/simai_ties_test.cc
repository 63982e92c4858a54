// SPDX-License-Identifier: GPL-2.0-only
/// Ties: what happens at the same nanosecond at one switch is ordered by insertion in SimAI and by port in heddle.
///
/// The order of the cables in a topology file numbers the ports and changes nothing physical; so what changes with it is decided
/// by ties.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include <unistd.h>

#include "tests/validation/comparison.h"

namespace heddle::testing {
namespace {

/// The case's fabric with its cables in another order; 0: as they are.
Graph Recabled(const std::string& name, std::uint32_t order) {
  std::ifstream in = OpenCase(name, "topo.txt");
  std::vector<std::string> head(2), cables;
  for (std::string& line : head) std::getline(in, line);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) cables.push_back(line);
  }
  std::mt19937 random(order);
  for (std::size_t i = cables.size(); order != 0 && i > 1; --i) std::swap(cables[i - 1], cables[random() % i]);
  const std::string path = (std::filesystem::temp_directory_path() / ("heddle_ties_" + std::to_string(::getpid()))).string();
  {
    std::ofstream out(path);
    for (const std::string& line : head) out << line << '\n';
    for (const std::string& line : cables) out << line << '\n';
  }
  Graph graph = ReadSimaiTopology(path);
  std::filesystem::remove(path);
  return graph;
}

TEST(SimaiTies, Search) {
  for (const char* name : {"f_burst8_4MB_cc1_det", "f_dcn64_mixed_cc1", "f_pfc_incast16_bs2_fixed"}) {
    SimaiCase c(name);
    c.options.truncate_ns = true;
    const Answers simai = ReadFct(name);
    std::map<FlowName, std::pair<std::int64_t, std::int64_t>> range;
    std::size_t best = 0;
    for (std::uint32_t order = 0; order < 100; ++order) {
      const Graph graph = Recabled(name, order);
      const Simulation run(graph, c.flows, c.options);
      const OwnAnswers own = AnswersOf(run.flows);
      const Comparison x = Compare(simai, own);
      for (const auto& [flow, ps] : own) {
        auto& r = range.try_emplace(flow, ps.fct, ps.fct).first->second;
        r.first = std::min(r.first, ps.fct); r.second = std::max(r.second, ps.fct);
      }
      if (x.equal >= best || order == 0) { best = x.equal; std::printf("%s order %u: %zu of %zu, largest %f marked %lld slowest %f\n", name, order, x.equal, x.flows, x.largest, (long long)run.fabric->Books().marked, x.slowest); }
    }
    std::size_t inside = 0, moving = 0, settled_unequal = 0;
    for (const auto& [flow, r] : range) {
      const std::int64_t t = simai.at(flow).fct_ns * 1000;
      inside += r.first <= t && t <= r.second;
      moving += r.first < r.second;
      settled_unequal += r.first == r.second && r.first != t;
      if (!(r.first <= t && t <= r.second)) std::printf("  %s simai %lld own %lld..%lld\n", Text(flow).c_str(), (long long)t, (long long)r.first, (long long)r.second);
    }
    std::printf("%s: %zu flows inside, %zu moving, %zu settled and unequal\n", name, inside, moving, settled_unequal);
  }
}

}  // namespace
}  // namespace heddle::testing
