// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/app/studies/static_study/host_names.h"
#include "core/base/check.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "topology/load/static_network.h"

namespace heddle {
namespace {

/// A subset for all runs, whose ranks are dealt anew in each.
struct Subset {
  std::vector<std::uint32_t> hosts;  ///< to choose from, in order of choice
  std::uint32_t ranks = 0;
  bool drawn = true;             ///< the subset is drawn; otherwise the first `ranks` hosts
  bool shuffled = true;          ///< ranks are dealt to the hosts; otherwise they keep their order
  std::uint32_t in_place = 0;    ///< the first so many hosts keep their ranks
  std::uint32_t first_part = 0;  ///< the first so many ranks are dealt among their own hosts
  std::uint64_t seed = 1;
};

std::vector<std::uint32_t> HostsOf(const Subset& subset, std::uint64_t run) {
  std::vector<std::uint32_t> hosts = subset.hosts;
  if (subset.drawn) {
    RandomStream once = SubsetStream(subset.seed);
    DrawPlaces(0, hosts.size(), subset.ranks, &hosts, &once);
  }
  hosts.resize(subset.ranks);
  if (!subset.shuffled) return hosts;
  RandomStream random(subset.seed, run, RandomPurpose::kRankMapping);
  const std::size_t kept = std::min<std::size_t>(subset.in_place, hosts.size());
  const std::size_t part = std::clamp<std::size_t>(subset.first_part, kept, hosts.size());
  DrawPlaces(kept, part, part - kept, &hosts, &random);
  DrawPlaces(part, hosts.size(), hosts.size() - part, &hosts, &random);
  return hosts;
}

class SubsetHosts : public HostChoice {
 public:
  explicit SubsetHosts(Subset subset) : subset_(std::move(subset)) {}
  std::vector<std::uint32_t> MappingOf(std::uint64_t run) const override {
    return HostsOf(subset_, run);
  }

 private:
  Subset subset_;
};

/// Hosts by the number in their names after the first letter, hexadecimal, as ORCS sorts
/// InfiniBand's GUIDs; names without one last.
std::vector<std::uint32_t> HostsByGuid(const StaticPaths& paths, bool ascending) {
  std::vector<std::pair<unsigned long long, std::uint32_t>> keys;
  for (std::uint32_t host = 0; host < paths.host_count(); ++host) {
    const std::string name = paths.HostName(host);
    keys.emplace_back(std::strtoull(name.c_str() + 1, nullptr, 16), host);
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    return ascending ? a.first < b.first : a.first > b.first;
  });
  std::vector<std::uint32_t> hosts;
  for (const auto& [guid, host] : keys) hosts.push_back(host);
  return hosts;
}

/// Puts the hosts of a text first, one name a line, '#' before comments; names of others are passed
/// over. Returns how many there are.
std::uint32_t PutFirst(const std::string& text, const StaticPaths& paths,
                       std::vector<std::uint32_t>* hosts) {
  const auto by_name = HostsByName(paths);
  LineReader lines(text, "");
  std::uint32_t placed = 0;
  for (std::string_view line; lines.Next(&line);) {
    line = line.substr(0, line.find('#'));
    const std::string name(TakeWord(&line));
    const auto host = by_name.find(by_name.count(name) != 0 ? name : "H" + name);
    if (name.empty() || host == by_name.end()) continue;
    const auto from = hosts->begin() + placed;
    const auto at = std::find(from, hosts->end(), host->second);
    if (at == hosts->end()) continue;
    std::rotate(from, at, at + 1);
    ++placed;
  }
  return placed;
}

/// The hosts of the first pattern: those of the subset that come first in its order, or drawn once.
void ChooseFirstPart(const OrcsArguments& given, const StaticNetwork& network, Subset* subset) {
  std::vector<std::uint32_t> own_order = subset->hosts;
  own_order.resize(subset->ranks);
  subset->hosts = HostsOf(*subset, 0);  // not drawn again
  subset->drawn = false;
  subset->first_part = static_cast<std::uint32_t>(given.first_ranks);
  if (given.part_subset == "rand") return;
  if (given.part_subset == "linear_bfs") {  // the subset's own order, before it is dealt
    subset->hosts = std::move(own_order);
    return;
  }
  const std::vector<std::uint32_t> order =
      HostsByGuid(network, given.part_subset == "guid_order_asc");
  std::vector<std::uint32_t> place(network.host_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::sort(subset->hosts.begin(), subset->hosts.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
}

/// In the order of --subset. Throws UserError.
std::vector<std::uint32_t> OrderOf(const OrcsArguments& given, const OrcsDot& dot) {
  std::vector<std::uint32_t> hosts;
  if (given.subset == "linear_bfs") {
    hosts = dot.HostsBreadthFirst();
  } else if (given.subset != "rand") {
    hosts = HostsByGuid(dot.network(), given.subset == "guid_order_asc");
  } else {
    hosts.resize(dot.network().host_count());
    std::iota(hosts.begin(), hosts.end(), 0U);
  }
  if (static_cast<std::size_t>(given.ranks) > hosts.size())
    throw UserError(
        fmt::format("--subset linear_bfs: {} hosts are reached from the first node. Expected: {}",
                    hosts.size(), given.ranks));
  return hosts;
}

}  // namespace

std::shared_ptr<const HostChoice> ChooseOrcsHosts(const OrcsArguments& given, const OrcsDot& dot) {
  const StaticNetwork& network = dot.network();
  Subset subset;
  subset.ranks = static_cast<std::uint32_t>(given.ranks);
  subset.seed = given.seed;
  subset.shuffled = given.shuffle;
  subset.drawn = given.subset == "rand";
  subset.hosts = OrderOf(given, dot);
  if (given.order_file != "-") {
    if (!subset.drawn) subset.hosts.resize(subset.ranks);
    subset.in_place = PutFirst(ReadTextFile(given.order_file), network, &subset.hosts);
  }
  if (given.part_subset != "none") ChooseFirstPart(given, network, &subset);
  if (given.mappings.empty()) return std::make_shared<SubsetHosts>(std::move(subset));
  return std::make_shared<GivenHosts>(ReadAs(FileKind::kUnknown, given.mappings, [&] {
    return ParseMappings(ReadTextFile(given.mappings), given.mappings, network, subset.ranks);
  }));
}

}  // namespace heddle
