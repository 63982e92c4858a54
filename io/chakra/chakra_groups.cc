// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/check.h"
#include "io/chakra/chakra_limits.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

constexpr const char* kFileForm =
    R"(JSON such as {"1": [0, 1], "2": [2, 3]}, names of groups and their ranks)";

[[noreturn]] void Fail(const std::string& where, const std::string& found,
                       const std::string& expected) {
  throw UserError(fmt::format("{}: {}. Expected: {}", where, found, expected));
}

/// The ranks of a group; `what` names it in messages.
std::vector<std::uint32_t> RanksOf(const Json& list, const std::string& what,
                                   const std::string& where) {
  if (!list.is_array()) Fail(where, what + " has no list of ranks", "a list such as [0, 1]");
  std::vector<std::uint32_t> ranks;
  for (const Json& rank : list) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= kMaxChakraRanks)
      Fail(where, what + " has a rank that is none",
           fmt::format("ranks below {}", kMaxChakraRanks));
    ranks.push_back(rank.get<std::uint32_t>());
  }
  std::vector<std::uint32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    Fail(where, fmt::format("{} has rank {} twice", what, *twice), "each rank once");
  return ranks;
}

std::string NameOf(const Json& group) {
  const auto name = group.find("pg_name");
  if (name == group.end()) return {};
  return name->is_string() ? name->get<std::string>() : name->dump();
}

}  // namespace

ChakraGroups::ChakraGroups(std::vector<ChakraGroup>* groups, std::uint32_t ranks)
    : groups_(groups), all_(ranks) {
  std::iota(all_.begin(), all_.end(), 0);
  groups_->push_back({"0", all_, true});
  index_["0"] = index_[""] = 0;
}

std::uint32_t ChakraGroups::IndexOf(const std::string& name) {
  const auto [at, is_new] = index_.try_emplace(name, groups_->size());
  if (is_new) groups_->push_back({name, {}, false});
  return at->second;
}

void ChakraGroups::Set(const std::string& name, const std::vector<std::uint32_t>& ranks,
                       const std::string& where) {
  const std::uint32_t index = IndexOf(name);
  ChakraGroup& group = (*groups_)[index];
  if (index == 0) return;  // all ranks, whatever is said of it
  if (group.known && group.ranks != ranks)
    Fail(where,
         fmt::format("group {} has other ranks than in another file or node before",
                     Printable(name)),
         "groups with the same ranks in the files of all ranks");
  group.ranks = ranks;
  group.known = true;
}

void ChakraGroups::AddFile(std::string_view text, const std::string& name) {
  const Json groups = Json::parse(text, nullptr, false);
  if (!groups.is_object()) Fail(name, "no object of JSON", kFileForm);
  for (const auto& [key, list] : groups.items())
    Set(key, RanksOf(list, "group " + Printable(key), name), name);
  from_file_ = true;
}

void ChakraGroups::AddMetadata(std::string_view values, const std::string& where) {
  constexpr const char* kForm = R"(a list such as ['[{"pg_name": "1", "ranks": [0, 1]}]'])";
  if (from_file_) return;
  if (values.size() < 4) Fail(where, "groups that are not there", kForm);
  const Json groups = Json::parse(values.substr(2, values.size() - 4), nullptr, false);
  if (!groups.is_array()) Fail(where, "groups that are no list of JSON", kForm);
  for (const Json& group : groups) {
    if (!group.is_object()) Fail(where, "a group that is no object of JSON", kForm);
    const std::string name = NameOf(group);
    const auto list = group.find("ranks");
    std::vector<std::uint32_t> ranks;
    if (list != group.end()) ranks = RanksOf(*list, "group " + Printable(name), where);
    Set(name, ranks.empty() ? all_ : ranks, where);
  }
}

}  // namespace heddle
