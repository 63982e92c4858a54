// SPDX-License-Identifier: GPL-2.0-only
/// Tables by Valiant's detour over a group that is drawn for each switch of destinations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "topology/tables/paths_to_switches.h"
#include "topology/tables/table_makers.h"

namespace heddle {
namespace {

class ValiantPaths {
 public:
  ValiantPaths(const SwitchWiring& wiring, std::uint32_t group_switches, std::uint64_t seed)
      : wiring_(wiring), size_(group_switches), seed_(seed) {}

  /// Three parts: in the destination's own group, in the drawn group, and elsewhere. Each is left
  /// for the next one only, so that no path comes back.
  /// Throws UserError if a switch has no path.
  PathsToGroup To(const SwitchWiring::Group& destination) const {
    PathsToGroup ways = FindPaths(destination);
    const std::vector<std::uint32_t> distance = wiring_.DistancesTo(destination.switches);
    for (std::uint32_t index = 0; index < wiring_.size(); ++index) {
      if (!ways[index].empty() || distance[index] == 0 || distance[index] == SwitchWiring::kFar)
        continue;
      throw UserError(
          fmt::format("valiant: {} has no way inside its group of {} switches. Expected: as many "
                      "switches as a group of the fabric has",
                      Describe(wiring_.graph(), wiring_.node(index)), size_));
    }
    return ways;
  }

 private:
  PathsToGroup FindPaths(const SwitchWiring::Group& destination) const {
    const std::uint32_t home = GroupOf(destination.switches.front());
    const std::uint32_t between = Draw(destination, home);
    const auto at_home = [&](std::uint32_t i) { return GroupOf(i) == home; };
    const auto in_between = [&](std::uint32_t i) { return GroupOf(i) == between; };
    PathsToGroup ways(wiring_.size());
    Fill(Distances(destination.switches, at_home), at_home, &ways);
    if (between == home) {
      const auto all = [](std::uint32_t) { return true; };
      Fill(
          Distances(Switches(home), all), [&](std::uint32_t i) { return !at_home(i); }, &ways);
      return ways;
    }
    Fill(Distances(Switches(home), [&](std::uint32_t i) { return at_home(i) || in_between(i); }),
         in_between, &ways);
    FillOutside(home, between, &ways);
    return ways;
  }

  /// From the other groups straight to the drawn one, each for itself; if one has no cable to it,
  /// all over each other.
  void FillOutside(std::uint32_t home, std::uint32_t between, PathsToGroup* ways) const {
    const std::vector<std::uint32_t> goals = Switches(between);
    const auto outside = [&](std::uint32_t i) {
      return GroupOf(i) != home && GroupOf(i) != between;
    };
    bool straight = true;
    PathsToGroup found = *ways;
    for (std::uint32_t group = 0; group < groups() && straight; ++group) {
      if (group == home || group == between) continue;
      const auto here = [&](std::uint32_t i) { return GroupOf(i) == group; };
      Fill(Distances(goals, here), here, &found);
      for (const std::uint32_t index : Switches(group))
        straight = straight && !found[index].empty();
    }
    if (straight) {
      *ways = std::move(found);
    } else {
      Fill(Distances(goals, outside), outside, ways);
    }
  }

  std::uint32_t GroupOf(std::uint32_t index) const { return index / size_; }
  std::uint32_t groups() const { return (wiring_.size() + size_ - 1) / size_; }

  std::vector<std::uint32_t> Switches(std::uint32_t group) const {
    std::vector<std::uint32_t> switches;
    for (std::uint32_t i = group * size_; i < std::min((group + 1) * size_, wiring_.size()); ++i)
      switches.push_back(i);
    return switches;
  }

  /// A group that has a cable to `home`; `home` itself if there is none.
  std::uint32_t Draw(const SwitchWiring::Group& destination, std::uint32_t home) const {
    std::vector<bool> linked(groups(), false);
    for (const std::uint32_t index : Switches(home)) {
      for (const SwitchWiring::Neighbour& next : wiring_.neighbours(index))
        linked[GroupOf(next.node)] = true;
    }
    std::vector<std::uint32_t> choices;
    for (std::uint32_t group = 0; group < groups(); ++group) {
      if (linked[group] && group != home) choices.push_back(group);
    }
    if (choices.empty()) return home;
    RandomStream random(seed_, destination.switches.front(), RandomPurpose::kForwardingTable);
    return choices[random.Below(choices.size())];
  }

  /// Links to the nearest of `goals` over switches of the part.
  template <class In>
  std::vector<std::uint32_t> Distances(const std::vector<std::uint32_t>& goals, In in) const {
    std::vector<std::uint32_t> distance(wiring_.size(), SwitchWiring::kFar), open = goals;
    for (const std::uint32_t goal : goals) distance[goal] = 0;
    for (std::size_t at = 0; at < open.size(); ++at) {
      for (const SwitchWiring::Neighbour& next : wiring_.neighbours(open[at])) {
        if (distance[next.node] != SwitchWiring::kFar || !in(next.node)) continue;
        distance[next.node] = distance[open[at]] + 1;
        open.push_back(next.node);
      }
    }
    return distance;
  }

  /// The ports of the switches of a part that come nearer.
  template <class In>
  void Fill(const std::vector<std::uint32_t>& distance, In in, PathsToGroup* ways) const {
    for (std::uint32_t index = 0; index < wiring_.size(); ++index) {
      if (!in(index) || distance[index] == 0 || distance[index] == SwitchWiring::kFar) continue;
      for (const SwitchWiring::Neighbour& next : wiring_.neighbours(index)) {
        if (distance[next.node] != SwitchWiring::kFar && distance[next.node] + 1 == distance[index])
          (*ways)[index].push_back(next.port);
      }
    }
  }

  const SwitchWiring& wiring_;
  std::uint32_t size_;
  std::uint64_t seed_;
};

}  // namespace

ForwardingTables ValiantTables(const Graph& graph, std::uint32_t group_switches,
                               std::uint64_t seed) {
  const SwitchWiring wiring(graph);
  if (group_switches == 0 || group_switches >= wiring.size())
    throw UserError(
        fmt::format("valiant: groups of {} switches. Expected: 1 to {}, fewer than there are",
                    group_switches, wiring.size() > 0 ? wiring.size() - 1 : 0));
  const ValiantPaths ways(wiring, group_switches, seed);
  return FillTables(
      wiring, [&](const SwitchWiring::Group& group) { return ways.To(group); },
      LeastDestinations(wiring));
}

}  // namespace heddle
