// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "topology/graph/node_names.h"

namespace heddle {
namespace {

using Transmitter = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>;

Transmitter From(const PauseEdge& e) { return {e.node.value, e.port.value, e.priority}; }
/// A packet keeps its priority from hop to hop.
Transmitter To(const PauseEdge& e) { return {e.next_node.value, e.next_port.value, e.priority}; }

/// The first edge that leaves `at`, in sorted edges.
std::size_t FirstEdge(const std::vector<PauseEdge>& edges, const Transmitter& at) {
  const auto place =
      std::lower_bound(edges.begin(), edges.end(), at,
                       [](const PauseEdge& e, const Transmitter& t) { return From(e) < t; });
  return static_cast<std::size_t>(place - edges.begin());
}

}  // namespace

/// Depth-first search in the order of the sorted edges; the path is a stack of edges. The first
/// edge found to lead back into the path closes the cycle. Each edge is visited once.
std::vector<PauseEdge> FindPauseCycle(std::vector<PauseEdge> edges) {
  const auto key = [](const PauseEdge& e) { return std::make_tuple(From(e), To(e)); };
  std::sort(edges.begin(), edges.end(),
            [&](const PauseEdge& a, const PauseEdge& b) { return key(a) < key(b); });

  enum class State : std::uint8_t { kNew, kOnPath, kDone };
  // State of the transmitter whose first edge has this index.
  std::vector<State> state(edges.size(), State::kNew);
  std::vector<std::size_t> path;   // edges; the last is being tried
  std::vector<std::size_t> first;  // for each edge of the path: the first edge of its transmitter
  for (std::size_t start = 0; start < edges.size(); ++start) {
    if (FirstEdge(edges, From(edges[start])) != start || state[start] != State::kNew) continue;
    const auto enter = [&](std::size_t edge) {
      state[edge] = State::kOnPath;
      path.push_back(edge);
      first.push_back(edge);
    };
    enter(start);
    while (!path.empty()) {
      const std::size_t at = path.back();
      if (at == edges.size() ||
          From(edges[at]) != From(edges[first.back()])) {  // all its edges were tried
        state[first.back()] = State::kDone;
        path.pop_back();
        first.pop_back();
        if (!path.empty()) ++path.back();
        continue;
      }
      const std::size_t next = FirstEdge(edges, To(edges[at]));
      const bool paused = next < edges.size() && From(edges[next]) == To(edges[at]);
      if (paused && state[next] == State::kOnPath) {
        const auto begin = std::find(first.begin(), first.end(), next) - first.begin();
        std::vector<PauseEdge> cycle;
        for (std::size_t i = static_cast<std::size_t>(begin); i < path.size(); ++i)
          cycle.push_back(edges[path[i]]);
        std::rotate(cycle.begin(),
                    std::min_element(
                        cycle.begin(), cycle.end(),
                        [](const PauseEdge& a, const PauseEdge& b) { return From(a) < From(b); }),
                    cycle.end());
        return cycle;
      }
      if (paused && state[next] == State::kNew) {
        enter(next);
      } else {
        ++path.back();
      }
    }
  }
  return {};
}

std::string DescribeCycle(const Graph& graph, const std::vector<PauseEdge>& cycle) {
  if (cycle.empty()) return "";
  const NodeNames names(graph);
  std::string text;
  for (const PauseEdge& edge : cycle)
    text += fmt::format("{} port {} -> ", names.Of(edge.node), edge.port.value);
  return fmt::format("{}{} port {} (priority {})", text, names.Of(cycle[0].node),
                     cycle[0].port.value, cycle[0].priority);
}

}  // namespace heddle
