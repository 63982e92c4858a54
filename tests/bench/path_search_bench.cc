// SPDX-License-Identifier: GPL-2.0-only
/// Compares the path search with the sequential one of the ECMP controller's specification, on
/// Spectrum-X with 128 GPUs: the pairs of an all-to-all, while none, half, all but one, and all of
/// the 64 links of every leaf to the spines are reserved.
///
/// "once": each pair is new, as in an all-to-all. "again": each pair was searched before, as in a
/// ring. Nothing is reserved between two requests. The sequential search runs over a subset of the
/// pairs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "topology/shapes/generator.h"
#include "transport/model/paths/link_shares.h"
#include "transport/model/paths/path_search.h"

namespace {

using namespace heddle;
constexpr std::uint16_t kPort = 100;
constexpr std::uint32_t kSpines = 64;
using Pairs = std::vector<std::pair<NodeId, NodeId>>;

Graph SpectrumX128() {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  options.gpus = 128;
  options.spine_switches = kSpines;
  return Generate("Spectrum-X", options);
}

/// The pairs for which a controller is asked, in the same order in every run.
Pairs AllToAll(const Graph& graph, const Routes& routes) {
  Pairs pairs;
  for (std::uint32_t from = 0; from < graph.gpu_count(); ++from) {
    for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
      if (from != to && HasChoiceOfPath(graph, routes, NodeId(from), NodeId(to)))
        pairs.emplace_back(from, to);
    }
  }
  RandomStream random(1, 0, RandomPurpose::kPermutation);
  for (std::size_t i = pairs.size() - 1; i > 0; --i)
    std::swap(pairs[i], pairs[random.Below(i + 1)]);
  return pairs;
}

/// Reserves `count` links to spines of every leaf, to the same spines everywhere.
void TakeUplinks(const Graph& graph, const HopNumbers& numbers, std::uint32_t count,
                 LinkShares* shares) {
  const std::uint32_t first_switch = graph.gpu_count() + graph.nvswitch_count();
  for (std::uint32_t node = first_switch; node < graph.node_count(); ++node) {
    std::uint32_t taken = 0;
    const auto& ports = graph.ports(NodeId(node));
    if (!graph.is_gpu(ports.front().peer)) continue;
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      if (graph.is_gpu(ports[port].peer) || taken == count) continue;
      const BitRate rate = graph.link(ports[port].link).rate;
      shares->Reserve(numbers.Of(NodeId(node), PortId(port)), rate);
      ++taken;
    }
  }
}

/// The search as the ECMP controller's specification states it.
bool SequentialFindFree(PathSearch* search, const LinkShares& shares, NodeId from, NodeId to,
                        SearchedPath* path) {
  for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort; ++port) {
    if (!search->Trace(from, to, static_cast<std::uint16_t>(port), kPort, path)) return false;
    const auto fits = [&](HopIndex hop) { return shares.Fits(hop, path->demand); };
    if (std::all_of(path->hops.begin(), path->hops.end() - 1, fits)) return true;
  }
  return false;
}

/// Processor time a request [us], in the fastest of three rounds; calls `prepare` before each.
template <class Prepare, class Request>
double Time(const Pairs& pairs, const Prepare& prepare, const Request& request) {
  double quickest = std::numeric_limits<double>::max();
  for (int round = 0; round < 3; ++round) {
    prepare();
    const std::clock_t start = std::clock();
    for (const auto& [from, to] : pairs) request(from, to);
    quickest = std::min(quickest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return quickest * 1e6 / static_cast<double>(pairs.size());
}

void Compare(const Graph& graph, const Routes& routes, const Pairs& pairs, ShareLimit limit,
             std::uint32_t taken) {
  const HopNumbers numbers(graph);
  LinkShares shares(graph, numbers, limit);
  TakeUplinks(graph, numbers, taken, &shares);
  PathSearch search(graph, routes, numbers, shares);
  SearchedPath path;
  std::uint64_t found = 0, asked = 0;
  const auto nothing = [] {};
  const auto forget = [&] { search.UseRoutes(routes); };
  const auto free = [&](NodeId from, NodeId to) {
    ++asked;
    found += search.FindFree(from, to, kPort, &path);
  };
  const auto least_loaded = [&](NodeId from, NodeId to) {
    search.FindLeastLoaded(from, to, kPort, &path);
  };
  const auto sequential = [&](NodeId from, NodeId to) {
    SequentialFindFree(&search, shares, from, to, &path);
  };
  const double once = Time(pairs, forget, free), again = Time(pairs, nothing, free);
  const double least_once = Time(pairs, forget, least_loaded),
               least_again = Time(pairs, nothing, least_loaded);
  const Pairs few(pairs.begin(), pairs.begin() + (taken == kSpines ? 10 : 1000));
  const double seed = Time(few, nothing, sequential);
  std::printf("  %5u %6s %5.0f %% %12.3f %12.3f %12.3f %12.3f %12.3f %10.1f %10.1f\n", taken,
              ToText(limit).c_str(),
              100.0 * static_cast<double>(found) / static_cast<double>(asked), once, again,
              least_once, least_again, seed, seed / once, seed / again);
}

}  // namespace

int main() {
  const Graph graph = SpectrumX128();
  const Routes routes(graph);
  const Pairs pairs = AllToAll(graph, routes);
  std::printf("%zu pairs, us a request\n  %5s %6s %7s %12s %12s %12s %12s %12s %10s %10s\n",
              pairs.size(), "taken", "limit", "free", "free, once", "free, again", "least, once",
              "least, again", "sequential", "ratio once", "again");
  for (const ShareLimit limit : {ShareLimit{}, ShareLimit{ShareLimit::Unit::kLine, 0}}) {
    for (const std::uint32_t taken : {0U, kSpines / 2, kSpines - 1, kSpines})
      Compare(graph, routes, pairs, limit, taken);
  }
  return 0;
}
