// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/ecn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

/// Default maps, as in SimAI.conf.
constexpr std::string_view kDefaultKmin =
    "6 25000000000 100 50000000000 200 100000000000 400 200000000000 300 400000000000 800 "
    "1600000000000 600";
constexpr std::string_view kDefaultKmax =
    "6 25000000000 400 50000000000 800 100000000000 1600 200000000000 1200 400000000000 3200 "
    "1600000000000 2400";
constexpr std::string_view kDefaultPmax =
    "6 25000000000 0.2 50000000000 0.2 100000000000 0.2 200000000000 0.8 400000000000 0.2 "
    "1600000000000 0.2";

// 10 GB, more than any switch holds; 1000 times it is exact in a double.
constexpr double kMaxKilobytes = 1e7;

constexpr const char* kKminName = "ecn.kmin (KMIN_MAP)";
constexpr const char* kKmaxName = "ecn.kmax (KMAX_MAP)";
constexpr const char* kPmaxName = "ecn.pmax (PMAX_MAP)";

void AddMap(OptionSet* options, const OptionSet::About& about, RateMap* map, double high,
            const std::string& each) {
  Option option;
  option.key = about.key;
  option.simai_key = about.simai_key;
  option.help = about.help;
  option.unit = about.unit;
  option.source = about.source;
  option.range = fmt::format(
      "one value for all ports ({}), or n rate value ..., rates in bit/s or with a unit, values "
      "0..{:.0f}; a rate that is not there takes the nearest{}",
      each.empty() ? "0.2" : "800KB", high, each.empty() ? "" : ", scaled");
  option.set = [=](std::string_view text) { *map = RateMap::Parse(text, high, each); };
  option.get = [map] { return map->ToText(); };
  options->Add(std::move(option));
}

/// Returns the entry that serves this rate. Throws UserError if the map is empty.
RateMap::Entry EntryFor(const RateMap& map, const char* name, BitRate rate,
                        const std::string& who) {
  if (map.one_value()) return {rate, *map.one_value()};
  if (const std::optional<RateMap::Entry> entry = map.Nearest(rate)) return *entry;
  throw UserError(
      fmt::format("{} has no entry, and {} of {} needs one (ECN marking needs thresholds for every "
                  "switch port). Give it a value for all ports, such as {}, or turn marking off "
                  "with ecn.enabled=false (ENABLE_QCN 0)",
                  name, who, ToText(rate), name == kPmaxName ? "0.2" : "400KB"));
}

/// Returns the length of a queue [KB], in proportion to the rate if the map lacks it.
double Kilobytes(const RateMap& map, const char* name, BitRate rate, const std::string& who) {
  const RateMap::Entry entry = EntryFor(map, name, rate, who);
  if (entry.rate == rate) return entry.value;
  const double ratio = static_cast<double>(rate.bps) / static_cast<double>(entry.rate.bps);
  return std::min(entry.value * ratio, kMaxKilobytes);
}

}  // namespace

EcnOptions::EcnOptions()
    : kmin(RateMap::Parse(kDefaultKmin, kMaxKilobytes, "KB")),
      kmax(RateMap::Parse(kDefaultKmax, kMaxKilobytes, "KB")),
      pmax(RateMap::Parse(kDefaultPmax, 1, "")) {}

void EcnOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"ecn", "explicit congestion notification: which packets are marked", "docs/models/ecn.md"});
  const std::string conf = "SimAI.conf";
  options->Add({"ecn.enabled", "ENABLE_QCN",
                "switches mark packets (ECN) by the length of the queue they leave", "", conf},
               &enabled);
  AddMap(options,
         {"ecn.kmin", "KMIN_MAP", "queue length up to which no packet is marked, by port rate",
          "KB", conf},
         &kmin, kMaxKilobytes, "KB");
  AddMap(options,
         {"ecn.kmax", "KMAX_MAP", "queue length beyond which every packet is marked, by port rate",
          "KB", conf},
         &kmax, kMaxKilobytes, "KB");
  AddMap(options, {"ecn.pmax", "PMAX_MAP", "marking probability at kmax, by port rate", "", conf},
         &pmax, 1, "");
}

EcnTable::EcnTable(const EcnOptions& options)
    : kmin_(options.kmin), kmax_(options.kmax), pmax_(options.pmax) {}

EcnTable::Thresholds EcnTable::For(BitRate rate, const std::string& who) const {
  const double kmin = Kilobytes(kmin_, kKminName, rate, who);
  const double kmax = Kilobytes(kmax_, kKmaxName, rate, who);
  if (kmin > kmax) {
    throw UserError(fmt::format(
        "{} is {} KB and {} is {} KB for {}, the rate of {} (the marking probability rises from "
        "kmin to kmax). Give a kmin of at most kmax",
        kKminName, kmin, kKmaxName, kmax, ToText(rate), who));
  }
  const auto bytes = [](double kilobytes) {
    return static_cast<std::int64_t>(std::llround(kilobytes * 1000));
  };
  return {bytes(kmin), bytes(kmax), EntryFor(pmax_, kPmaxName, rate, who).value};
}

std::vector<std::string> EcnTable::DescribeScaled(const std::vector<BitRate>& rates) const {
  std::vector<std::string> texts;
  for (const BitRate rate : rates) {
    std::string from;
    for (const RateMap* map : {&kmin_, &kmax_, &pmax_}) {
      if (!map->Lacks(rate)) continue;
      const std::string entry = ToText(map->Nearest(rate)->rate);
      if (from.find(entry) == std::string::npos) from += (from.empty() ? "" : " and ") + entry;
    }
    if (from.empty()) continue;
    const Thresholds at = For(rate, "a port");
    texts.push_back(fmt::format("{}: kmin {:g} KB, kmax {:g} KB, pmax {:g}, scaled from {}",
                                ToText(rate), static_cast<double>(at.kmin) / 1000,
                                static_cast<double>(at.kmax) / 1000, at.pmax, from));
  }
  return texts;
}

}  // namespace heddle
