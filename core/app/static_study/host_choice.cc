// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/static_study/host_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace heddle {
namespace {

/// The entity of the stream that draws the subset of all runs.
constexpr std::uint64_t kAllRuns = ~std::uint64_t{0};

/// Draws the first `count` places from `begin` on among those up to `end`, uniformly and in order.
void Draw(std::size_t begin, std::size_t end, std::size_t count, std::vector<std::uint32_t>* hosts,
          RandomStream* random) {
  for (std::size_t i = begin; i < begin + count && i + 1 < end; ++i)
    std::swap((*hosts)[i], (*hosts)[i + random->Below(end - i)]);
}

std::unordered_map<std::string, std::uint32_t> HostsByName(const StaticPaths& paths) {
  std::unordered_map<std::string, std::uint32_t> hosts;
  for (std::uint32_t host = 0; host < paths.host_count(); ++host)
    hosts.emplace(paths.HostName(host), host);
  return hosts;
}

/// The hosts of `order`, groups of choice.hosts, one behind the other.
std::vector<std::uint32_t> Expand(const HostChoice& choice,
                                  const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> hosts;
  for (const std::uint32_t group : order) {
    const std::size_t first = std::size_t{group} * choice.group;
    for (std::size_t i = first; i < first + choice.group && i < choice.hosts.size(); ++i)
      hosts.push_back(choice.hosts[i]);
  }
  return hosts;
}

/// By whole groups. Only the last group of all may be smaller, and it is dealt like the others.
std::vector<std::uint32_t> MappingByGroups(const HostChoice& choice, std::uint64_t run) {
  HostChoice groups;
  groups.hosts.resize((choice.hosts.size() + choice.group - 1) / choice.group);
  std::iota(groups.hosts.begin(), groups.hosts.end(), 0U);
  const std::uint32_t needed = (choice.ranks + choice.group - 1) / choice.group;
  const bool uneven = choice.hosts.size() % choice.group != 0;  // the last may be among them
  groups.ranks =
      std::min(static_cast<std::uint32_t>(groups.hosts.size()), needed + (uneven ? 1 : 0));
  groups.fixed_subset = choice.fixed_subset;
  groups.seed = choice.seed;
  std::vector<std::uint32_t> hosts = Expand(choice, MappingOf(groups, run));
  hosts.resize(choice.ranks);
  return hosts;
}

}  // namespace

std::vector<std::uint32_t> MappingOf(const HostChoice& choice, std::uint64_t run) {
  if (!choice.mappings.empty()) return choice.mappings[run % choice.mappings.size()];
  if (choice.group > 1 && choice.shuffled) return MappingByGroups(choice, run);
  std::vector<std::uint32_t> hosts = choice.hosts;
  RandomStream random(choice.seed, run, RandomPurpose::kRankMapping);
  if (choice.drawn && choice.fixed_subset) {
    RandomStream once(choice.seed, kAllRuns, RandomPurpose::kRankMapping);
    Draw(0, hosts.size(), choice.ranks, &hosts, &once);
  } else if (choice.drawn) {
    Draw(0, hosts.size(), choice.ranks, &hosts, &random);
  }
  hosts.resize(choice.ranks);
  if (!choice.shuffled || (choice.drawn && !choice.fixed_subset)) return hosts;
  const std::size_t kept = std::min<std::size_t>(choice.in_place, hosts.size());
  const std::size_t part = std::clamp<std::size_t>(choice.first_part, kept, hosts.size());
  Draw(kept, part, part - kept, &hosts, &random);
  Draw(part, hosts.size(), hosts.size() - part, &hosts, &random);
  return hosts;
}

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

std::uint32_t PutFirst(const std::string& text, const StaticPaths& paths,
                       std::vector<std::uint32_t>* hosts) {
  const auto by_name = HostsByName(paths);
  std::istringstream lines(text);
  std::uint32_t placed = 0;
  for (std::string line; std::getline(lines, line);) {
    std::string name;
    std::istringstream(line.substr(0, line.find('#'))) >> name;
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

std::vector<std::vector<std::uint32_t>> ParseMappings(const std::string& text,
                                                      const std::string& file,
                                                      const StaticPaths& paths,
                                                      std::uint32_t ranks) {
  const auto by_name = HostsByName(paths);
  std::vector<std::vector<std::uint32_t>> mappings;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::uint32_t> hosts;
    for (std::string word; words >> word;) {
      const auto host = by_name.find(word);
      if (host == by_name.end())
        throw UserError(fmt::format("{}:{}: '{}' is no host. Expected: names of hosts by rank",
                                    file, number, Printable(word)));
      hosts.push_back(host->second);
    }
    if (hosts.empty()) continue;
    if (hosts.size() != ranks)
      throw UserError(fmt::format("{}:{}: {} hosts. Expected: {}, one for each rank", file, number,
                                  hosts.size(), ranks));
    mappings.push_back(std::move(hosts));
  }
  if (mappings.empty())
    throw UserError(fmt::format("{}: no mapping. Expected: a line for each run", file));
  return mappings;
}

}  // namespace heddle
