// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra2_system.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/astra/astra_entries.h"

namespace heddle {
namespace {

constexpr double kMostCount = 1e6;

/// What a value must be.
enum class Is : std::uint8_t { kWord, kCount, kNumber, kSwitch, kNames, kOneOf, kFiles, kUnused };

/// A key, and the option that it becomes. A further key is a row.
struct KnownKey {
  const char* name;
  Is value;
  const char* option;  ///< kCount, kNumber, kNames, kFiles; kUnused: why
};
constexpr KnownKey kKnownKeys[] = {
    {"scheduling-policy", Is::kWord, "chunks.order"},
    {"collective-optimization", Is::kWord, "phases.collectives"},
    {"endpoint-delay", Is::kCount, "phases.endpoint_delay"},
    {"active-chunks-per-dimension", Is::kCount, "chunks.per_lane"},
    {"preferred-dataset-splits", Is::kCount, "chunks.splits"},
    {"local-mem-bw", Is::kNumber, "phases.memory_bandwidth"},
    {"all-reduce-implementation", Is::kNames, "phases.algorithm"},
    {"reduce-scatter-implementation", Is::kNames, "phases.reduce_scatter"},
    {"all-gather-implementation", Is::kNames, "phases.all_gather"},
    {"all-to-all-implementation", Is::kNames, "phases.all_to_all"},
    {"all-reduce-implementation-custom", Is::kFiles, "chakra.allreduce"},
    {"reduce-scatter-implementation-custom", Is::kFiles, "chakra.reducescatter"},
    {"all-gather-implementation-custom", Is::kFiles, "chakra.allgather"},
    {"all-to-all-implementation-custom", Is::kFiles, "chakra.alltoall"},
    {"intra-dimension-scheduling", Is::kOneOf, "FIFO"},
    {"inter-dimension-scheduling", Is::kOneOf, "baseline"},
    {"model-shared-bus", Is::kOneOf, "0"},
    {"replay-only", Is::kOneOf, "0"},
    {"boost-mode", Is::kUnused, "all NPUs are simulated"},
    {"trace-enabled", Is::kUnused, "heddle run --record timeline=all writes what was done"},
    {"peak-perf", Is::kNumber, "chakra.peak"},
    {"roofline-enabled", Is::kSwitch, "chakra.compute"},
    {"track-local-mem", Is::kUnused, "memory is not tracked"},
    {"local-mem-trace-filename", Is::kUnused, "memory is not tracked"},
    {"local-reduction-delay", Is::kUnused, "belongs to the shared bus"},
    {"L", Is::kUnused, "belongs to the shared bus"},
    {"o", Is::kUnused, "belongs to the shared bus"},
    {"g", Is::kUnused, "belongs to the shared bus"},
    {"G", Is::kUnused, "belongs to the shared bus"}};

[[noreturn]] void Refuse(const AstraEntry& entry, const std::string& expected) {
  FailInput(
      entry.where,
      fmt::format("{}: {}", entry.key, Quote(fmt::format("{}", fmt::join(entry.values, ", ")))),
      expected);
}

double NumberOf(const AstraEntry& entry, double low, double high, const char* expected) {
  const std::optional<double> number =
      entry.list ? std::nullopt : ReadNumber<double>(entry.values[0]);
  if (!number || !(*number >= low && *number <= high)) Refuse(entry, expected);
  return *number;
}

void SetCount(const AstraEntry& entry, const KnownKey& key, OptionSet* options) {
  // A fraction is cut off, as in ASTRA-sim's integers.
  const auto count =
      static_cast<std::int64_t>(NumberOf(entry, 1, kMostCount, "a whole number, 1 to 1000000"));
  const bool time = key.option == std::string_view("phases.endpoint_delay");
  options->Set(key.option, std::to_string(count) + (time ? "ns" : ""), entry.where);
  if (time) options->Set("phases.local_endpoint_delay", std::to_string(count) + "ns", entry.where);
}

void SetNames(const AstraEntry& entry, const KnownKey& key, OptionSet* options) {
  constexpr const char* kNames =
      "a list of ring, direct, doubleBinaryTree, halvingDoubling, oneRing, oneDirect, "
      "oneHalvingDoubling, one for each dimension";
  const std::vector<std::string> names = {
      "ring",    "direct",    "doubleBinaryTree",  "halvingDoubling",
      "oneRing", "oneDirect", "oneHalvingDoubling"};
  if (!entry.list || entry.values.empty()) Refuse(entry, kNames);
  for (const std::string& name : entry.values) {
    bool known = false;
    for (const std::string& other : names) known = known || name == other;
    if (known) continue;
    const bool window = name.find_first_of("0123456789") != std::string::npos &&
                        (name.rfind("direct", 0) == 0 || name.rfind("oneDirect", 0) == 0);
    Refuse(entry, window ? "direct or oneDirect without a number, as windows are not modelled"
                         : kNames + NearestIs(name, names));
  }
  options->Set(key.option, fmt::format("{}", fmt::join(entry.values, "_")), entry.where);
}

void SetWord(const AstraEntry& entry, const KnownKey& key, OptionSet* options) {
  // EXPLICIT goes by priorities, which are all alike.
  const std::pair<const char*, const char*> words[] = {{"LIFO", "lifo"},
                                                       {"FIFO", "fifo"},
                                                       {"EXPLICIT", "fifo"},
                                                       {"baseline", "baseline"},
                                                       {"localBWAware", "enhanced"}};
  const bool order = key.option == std::string_view("chunks.order");
  for (std::size_t i = order ? 0 : 3; i < (order ? 3U : 5U); ++i) {
    if (entry.list || entry.values[0] != words[i].first) continue;
    options->Set(key.option, words[i].second, entry.where);
    return;
  }
  Refuse(entry, order ? "LIFO, FIFO or EXPLICIT" : "baseline or localBWAware");
}

void Use(const AstraEntry& entry, const KnownKey& key, OptionSet* options, AstraFileNote* note) {
  switch (key.value) {
    case Is::kWord:
      return SetWord(entry, key, options);
    case Is::kCount:
      return SetCount(entry, key, options);
    case Is::kNames:
      return SetNames(entry, key, options);
    case Is::kNumber:
      NumberOf(entry, 0.001, 1e9, "a number, 0.001 to 10^9");
      if (key.name == std::string_view("local-mem-bw"))
        options->Set("chakra.memory_bandwidth", entry.values[0], entry.where);
      return options->Set(key.option, entry.values[0], entry.where);
    case Is::kSwitch:
      return options->Set(key.option, NumberOf(entry, 0, 1, "0 or 1") > 0 ? "roofline" : "duration",
                          entry.where);
    case Is::kOneOf:
      if (!entry.list && (entry.values[0] == key.option ||
                          (entry.values[0] == "false" && key.option == std::string_view("0"))))
        return;
      Refuse(entry, fmt::format("{}, as others are not modelled", key.option));
    case Is::kFiles:
      if (!entry.list || entry.values.size() != 1)
        Refuse(entry, "a list with one prefix of files PREFIX.PLACE.et");
      return options->Set(key.option, entry.values[0], entry.where);
    case Is::kUnused:
      note->unused.emplace_back(key.name, key.option);
  }
}

/// What ASTRA-sim 2's code does whatever the file says, or if it says nothing.
void SetDefaults(OptionSet* options) {
  const std::pair<const char*, const char*> values[] = {{"phases.collectives", "baseline"},
                                                        {"phases.order", "ascending"},
                                                        {"phases.local_lanes", "all"},
                                                        {"phases.halving_sums", "next"},
                                                        {"phases.endpoint_delay", "10ns"},
                                                        {"phases.local_endpoint_delay", "10ns"},
                                                        {"chunks.splits", "1"},
                                                        {"chunks.all_to_all_splits", "0"},
                                                        {"chunks.least_bytes", "1"},
                                                        {"chunks.dispatch", "fill"},
                                                        {"chunks.threshold", "1000000"},
                                                        {"chunks.order", "lifo"},
                                                        {"chunks.equal", "fifo"},
                                                        {"chunks.per_lane", "1"}};
  for (const auto& [option, value] : values) options->Set(option, value);
}

}  // namespace

AstraFileNote ParseAstra2System(std::string_view text, const std::string& name,
                                OptionSet* options) {
  AstraFileNote note;
  note.version = "ASTRA-sim 2";
  SetDefaults(options);
  for (const AstraEntry& entry : ParseJsonEntries(text, name)) {
    const KnownKey* known = nullptr;
    std::vector<std::string> names;
    for (const KnownKey& key : kKnownKeys) {
      if (entry.key == key.name) known = &key;
      names.emplace_back(key.name);
    }
    if (known == nullptr)
      FailInput(entry.where, Quote(entry.key),
                "a key of ASTRA-sim 2's system.json, such as scheduling-policy" +
                    NearestIs(entry.key, names));
    Use(entry, *known, options, &note);
  }
  return note;
}

}  // namespace heddle
