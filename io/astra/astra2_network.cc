// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra2_network.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/astra/astra_entries.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr const char* kTopology = "topology";
constexpr const char* kSizes = "npus_count";
constexpr const char* kBandwidth = "bandwidth";
constexpr const char* kLatency = "latency";

struct Shape {
  const char* name;
  Dimension::Kind kind;
};
constexpr Shape kShapes[] = {{"Ring", Dimension::Kind::kRing},
                             {"FullyConnected", Dimension::Kind::kFullyConnected},
                             {"Switch", Dimension::Kind::kSwitch}};

void CheckKeys(const std::vector<AstraEntry>& entries) {
  const std::vector<std::string> known = {kTopology, kSizes, kBandwidth, kLatency};
  for (const AstraEntry& entry : entries) {
    bool found = false;
    for (const std::string& key : known) found = found || key == entry.key;
    if (!found) {
      FailInput(entry.where, Quote(entry.key),
                "a key of ASTRA-sim 2's network.yml: topology, npus_count, bandwidth or latency" +
                    NearestIs(entry.key, known));
    }
  }
}

/// The values of a key, one a dimension.
const AstraEntry& ListOf(const std::vector<AstraEntry>& entries, const char* key,
                         const std::string& name) {
  const AstraEntry* entry = FindEntry(entries, key);
  if (entry == nullptr)
    FailInput({name, 0}, fmt::format("no '{}'", key), "this key of ASTRA-sim 2's network.yml");
  if (entry->values.empty())
    FailInput(entry->where, fmt::format("{}: no values", key), "one for each dimension");
  const AstraEntry& first = *FindEntry(entries, kTopology);
  if (entry->values.size() != first.values.size()) {
    FailInput(entry->where, fmt::format("{}: {} values", key, entry->values.size()),
              fmt::format("{}, as topology has so many", first.values.size()));
  }
  return *entry;
}

Dimension::Kind KindOf(const std::string& word, const SourceLine& where) {
  std::vector<std::string> names;
  for (const Shape& shape : kShapes) {
    if (word == shape.name) return shape.kind;
    names.emplace_back(shape.name);
  }
  FailInput(where, "topology " + Quote(word),
            "Ring, FullyConnected or Switch" + NearestIs(word, names));
}

double NumberOf(const AstraEntry& entry, std::size_t d, double low, double high,
                const char* expected) {
  const std::optional<double> number = ReadNumber<double>(entry.values[d]);
  if (!number || !(*number >= low && *number <= high))
    FailInput(entry.where, fmt::format("{}: {}", entry.key, Quote(entry.values[d])), expected);
  return *number;
}

std::uint32_t SizeOf(const AstraEntry& entry, std::size_t d) {
  const std::optional<std::int64_t> size = ReadNumber<std::int64_t>(entry.values[d]);
  if (!size || *size < 2 || *size > kMaxNodes) {
    FailInput(entry.where, fmt::format("{}: {}", entry.key, Quote(entry.values[d])),
              fmt::format("a whole number, 2 to {}", kMaxNodes));
  }
  return static_cast<std::uint32_t>(*size);
}

NetworkDimension LineOf(Dimension::Kind kind, std::uint32_t size, double bandwidth, double latency,
                        std::size_t d) {
  NetworkDimension line;
  line.kind = kind;
  line.size = size;
  line.anticlockwise = kind == Dimension::Kind::kRing ? 1 : 0;
  line.rate = BitRate{std::llround(bandwidth * static_cast<double>(std::int64_t{8} << 30))};
  line.latency = PicoSeconds(std::llround(latency * 1000));
  line.level.name = fmt::format("dimension {}", d);
  line.level.packet_bytes = ScaleUpLevel::kWholeMessages;
  line.level.padded = false;
  line.one_queue = true;
  return line;
}

}  // namespace

bool IsAstra2Network(std::string_view text) {
  LineReader lines(text, "");
  for (std::string_view line; lines.NextFilled(&line);) {
    line = WithoutComment(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = Trim(line.substr(0, colon));
    if (key == kSizes || key == kBandwidth || key == kLatency) return true;
    const std::string_view value = Trim(line.substr(colon + 1));
    if (key == kTopology && (value.empty() || value.front() == '[')) return true;
  }
  return false;
}

ScaleUpNetwork ParseAstra2Network(std::string_view text, const std::string& name) {
  const std::vector<AstraEntry> entries = ParseYamlEntries(text, name);
  CheckKeys(entries);
  if (FindEntry(entries, kTopology) == nullptr)
    FailInput({name, 0}, "no 'topology'", "this key of ASTRA-sim 2's network.yml");
  const AstraEntry& topology = ListOf(entries, kTopology, name);
  const AstraEntry& sizes = ListOf(entries, kSizes, name);
  const AstraEntry& bandwidths = ListOf(entries, kBandwidth, name);
  const AstraEntry& latencies = ListOf(entries, kLatency, name);
  ScaleUpNetwork network;
  network.whole_ns = true;
  std::uint64_t npus = 1;
  for (std::size_t d = 0; d < topology.values.size(); ++d) {
    const std::uint32_t size = SizeOf(sizes, d);
    npus *= size;
    if (npus > kMaxNodes)
      FailInput(sizes.where, fmt::format("{} NPUs and more", npus),
                fmt::format("at most {}", kMaxNodes));
    network.dimensions.push_back(
        LineOf(KindOf(topology.values[d], topology.where), size,
               NumberOf(bandwidths, d, 0.001, 100'000, "GB/s, 0.001 to 100000"),
               NumberOf(latencies, d, 0.001, 1e9, "nanoseconds, 0.001 to 10^9"), d));
  }
  return network;
}

}  // namespace heddle
