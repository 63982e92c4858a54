// SPDX-License-Identifier: GPL-2.0-only
#include "io/htsim/htsim_topology.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <utility>

#include "core/base/ids.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostGbps = 1'000'000;         ///< of a link, as in other files
constexpr std::int64_t kMostLatency = 1'000'000'000;  ///< of a cable or switch [ns]
constexpr std::int64_t kMostTiers = 3;

/// A key of a tier, in small letters.
struct TierKey {
  const char* key;
  const char* name;  ///< as files write it
  HtsimNumber HtsimTier::*number;
  std::int64_t low, high;
  bool needed;
};
constexpr TierKey kTierKeys[] = {
    {"downlink_speed_gbps", "Downlink_speed_Gbps", &HtsimTier::speed, 1, kMostGbps, true},
    {"radix_down", "Radix_Down", &HtsimTier::radix_down, 1, kMaxPorts, true},
    {"radix_up", "Radix_Up", &HtsimTier::radix_up, 1, kMaxPorts, false},
    {"oversubscribed", "Oversubscribed", &HtsimTier::oversubscribed, 1, kMaxPorts, false},
    {"downlink_latency_ns", "Downlink_Latency_ns", &HtsimTier::latency, 0, kMostLatency, true},
    {"switch_latency_ns", "Switch_Latency_ns", &HtsimTier::switch_latency, 0, kMostLatency, false},
    {"bundle", "Bundle", &HtsimTier::bundle, 1, kMaxPorts, false}};

std::string SmallLetters(std::string_view word) {
  std::string small(word);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

/// Reads the lines of one file.
class TopologyReader {
 public:
  TopologyReader(std::string_view text, const std::string& name) : lines_(text, name) {
    topology_.name = name;
  }

  HtsimTopology Read() {
    std::string_view line;
    while (lines_.NextFilled(&line)) {
      if (line.front() == '#') continue;
      const std::string_view word = TakeWord(&line);
      ReadLine(word, SmallLetters(word), Trim(line));
    }
    CheckHead();
    for (std::size_t i = 0; i < topology_.tiers.size(); ++i) CheckTier(i);
    return std::move(topology_);
  }

 private:
  std::int64_t Number(std::string_view word, std::string_view value, std::int64_t low,
                      std::int64_t high) const {
    const std::optional<std::int64_t> number = ReadNumber<std::int64_t>(value);
    if (!number || *number < low || *number > high)
      FailInput(lines_.where(), fmt::format("{} {}", Printable(word), Quote(value)),
                fmt::format("an integer from {} to {}", low, high));
    return *number;
  }

  void Set(std::string_view word, std::string_view value, std::int64_t low, std::int64_t high,
           HtsimNumber* number) const {
    if (number->given())
      FailInput(lines_.where(),
                fmt::format("{} again, first in line {}", Printable(word), number->line),
                "one line with it" + std::string(topology_.tiers.empty() ? "" : " in a tier"));
    *number = {Number(word, value, low, high), lines_.number()};
  }

  void ReadLine(std::string_view word, const std::string& key, std::string_view value) {
    if (key == "tier") return BeginTier(word, value);
    if (key == "nodes") return Set(word, value, 2, kMaxNodes, &topology_.nodes);
    if (key == "tiers") return Set(word, value, 2, kMostTiers, &tiers_);
    if (key == "podsize") return Set(word, value, 1, kMaxNodes, &topology_.pod_size);
    const bool queue = key == "queue_up" || key == "queue_down";
    if (topology_.tiers.empty())
      FailInput(lines_.where(), Quote(word), "Nodes, Tiers, Podsize or Tier 0");
    if (queue) return WarnOfQueue(word);
    for (const TierKey& known : kTierKeys) {
      if (key == known.key)
        return Set(word, value, known.low, known.high, &(topology_.tiers.back().*known.number));
    }
    FailInput(lines_.where(), Quote(word),
              "a key of a tier: Downlink_speed_Gbps, Radix_Down, Radix_Up, Oversubscribed, "
              "Downlink_Latency_ns, Switch_Latency_ns, Bundle, or the next Tier");
  }

  void BeginTier(std::string_view word, std::string_view value) {
    const auto next = static_cast<std::int64_t>(topology_.tiers.size());
    const std::int64_t tier = Number(word, value, 0, kMostTiers - 1);
    if (tier != next)
      FailInput(lines_.where(), fmt::format("Tier {}", tier),
                fmt::format("Tier {}, as tiers ascend from 0", next));
    topology_.tiers.emplace_back();
    topology_.tiers.back().line = lines_.number();
  }

  void WarnOfQueue(std::string_view word) {
    if (!topology_.warnings.empty()) return;
    topology_.warnings.push_back(fmt::format(
        "{}: {} and other queues of the file are not used: buffers are options (heddle options)",
        ToText(lines_.where()), Printable(word)));
  }

  void CheckHead() const {
    const std::pair<HtsimNumber, const char*> head[] = {
        {topology_.nodes, "Nodes"}, {tiers_, "Tiers"}, {topology_.pod_size, "Podsize"}};
    for (const auto& [number, name] : head) {
      if (!number.given())
        FailInput(lines_.whole_file(), fmt::format("no line {}", name),
                  "Nodes, Tiers and Podsize before the first tier");
    }
    if (static_cast<std::int64_t>(topology_.tiers.size()) != tiers_.value)
      FailInput(
          {topology_.name, tiers_.line},
          fmt::format("Tiers {}, and {} begin with 'Tier N'", tiers_.value, topology_.tiers.size()),
          fmt::format("{} tiers", tiers_.value));
  }

  void CheckTier(std::size_t index) const {
    const HtsimTier& tier = topology_.tiers[index];
    const bool top = index + 1 == topology_.tiers.size();
    for (const TierKey& key : kTierKeys) {
      const bool needed = key.needed || (key.number == &HtsimTier::radix_up && !top);
      if (needed && !(tier.*key.number).given())
        FailInput({topology_.name, tier.line}, fmt::format("Tier {} without {}", index, key.name),
                  fmt::format("a line '{} NUMBER' below it", key.name));
    }
    if (top && tier.radix_up.given())
      FailInput(topology_.At(tier.radix_up), "Radix_Up of the top tier", "no cables above the top");
  }

  LineReader lines_;
  HtsimTopology topology_;
  HtsimNumber tiers_;
};

}  // namespace

HtsimTopology ParseHtsimTopology(std::string_view text, const std::string& name) {
  return TopologyReader(text, name).Read();
}

}  // namespace heddle
