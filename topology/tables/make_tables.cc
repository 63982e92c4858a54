// SPDX-License-Identifier: GPL-2.0-only
/// Chooses a maker of tables by its words.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "topology/tables/table_makers.h"

namespace heddle {
namespace {

[[noreturn]] void RefuseArgument(const std::string& name, const std::string& argument,
                                 const char* expected) {
  throw UserError(
      fmt::format("routing {}: argument '{}'. Expected: {}", name, Printable(argument), expected));
}

std::vector<std::uint32_t> ParseLengths(const std::string& argument) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t at = 0; at <= argument.size();) {
    const std::size_t end = std::min(argument.find('x', at), argument.size());
    const auto length =
        ReadNumber<std::uint32_t>(std::string_view(argument).substr(at, end - at)).value_or(0);
    if (length == 0 || length > kMaxNodes)
      RefuseArgument("dimension-order", argument, "lengths of the dimensions, as in 4x4x2");
    lengths.push_back(length);
    at = end + 1;
  }
  return lengths;
}

}  // namespace

std::string TableMakersText() {
  return "minhop, updown, dmodk, random[:SEED], dimension-order:4x4x2 or valiant:4[:SEED]";
}

ForwardingTables MakeTables(const Graph& graph, const std::string& words) {
  const std::size_t colon = std::min(words.find(':'), words.size());
  const std::string name = words.substr(0, colon);
  const std::string argument = colon < words.size() ? words.substr(colon + 1) : "";
  const bool takes_one = name == "random" || name == "dimension-order" || name == "valiant";
  if (!takes_one && colon < words.size()) RefuseArgument(Printable(name), argument, "none");
  if (name == "minhop") return MinHopTables(graph);
  if (name == "updown") return UpDownTables(graph);
  if (name == "dmodk") return DModKTables(graph);
  if (name == "dimension-order") return DimensionOrderTables(graph, ParseLengths(argument));
  if (name == "valiant") {
    const std::size_t gap = std::min(argument.find(':'), argument.size());
    const auto group = ReadNumber<std::uint32_t>(std::string_view(argument).substr(0, gap));
    const auto seed = gap == argument.size()
                          ? std::optional<std::uint64_t>(1)
                          : ReadNumber<std::uint64_t>(std::string_view(argument).substr(gap + 1));
    if (!group || !seed) RefuseArgument(name, argument, "switches of a group, and perhaps a seed");
    return ValiantTables(graph, *group, *seed);
  }
  if (name == "random") {
    if (colon == words.size()) return RandomTables(graph, 1);
    const auto seed = ReadNumber<std::uint64_t>(argument);
    if (!seed) RefuseArgument(name, argument, "a whole number, the seed");
    return RandomTables(graph, *seed);
  }
  throw UserError(fmt::format(
      "routing '{}' is unknown. Expected: {}{}", Printable(name), TableMakersText(),
      DidYouMean(name, {"minhop", "updown", "dmodk", "random", "dimension-order", "valiant"})));
}

}  // namespace heddle
