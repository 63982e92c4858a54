// SPDX-License-Identifier: GPL-2.0-only
#include "transport/switch/ecn.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/check.h"

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

std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

template <class T>
bool ReadWhole(std::string_view word, T* number) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, *number);
  return error == std::errc() && stop == end;
}

BitRate ReadRate(std::string_view word) {
  const bool bare =
      !word.empty() && word.find_first_not_of("0123456789.") == std::string_view::npos;
  try {
    return ParseBitRate(bare ? std::string(word) + "bps" : std::string(word));
  } catch (const UserError&) {
    throw UserError(
        fmt::format("a rate above zero in bit/s or with a unit such as 400Gbps, not '{}'", word));
  }
}

double ReadValue(std::string_view word, double high, const std::string& unit) {
  double value = 0;
  if (!ReadWhole(word, &value) || !(value >= 0 && value <= high)) {
    throw UserError(fmt::format("values from 0 to {:.0f}{}{}, not '{}'", high,
                                unit.empty() ? "" : " ", unit, word));
  }
  return value;
}

void AddMap(OptionSet* options, const OptionSet::About& about, RateMap* map, double high,
            const std::string& each) {
  Option option;
  option.key = about.key;
  option.simai_key = about.simai_key;
  option.help = about.help;
  option.unit = about.unit;
  option.source = about.source;
  option.range =
      fmt::format("n rate value ..., rates in bit/s or with a unit, values 0..{:.0f}", high);
  option.set = [=](std::string_view text) { *map = RateMap::Parse(text, high, each); };
  option.get = [map] { return map->ToText(); };
  options->Add(std::move(option));
}

double Value(const RateMap& map, const char* name, BitRate rate, const std::string& who) {
  if (const double* value = map.Find(rate)) return *value;
  throw UserError(
      fmt::format("{} has no entry for {}, the rate of {} (ECN marking needs thresholds for every "
                  "switch port). Add the pair "
                  "'{} VALUE' to it and raise its count to {}, or turn marking off with "
                  "ecn.enabled=false (ENABLE_QCN 0)",
                  name, ToText(rate), who, rate.bps, map.entries().size() + 1));
}

}  // namespace

RateMap RateMap::Parse(std::string_view text, double high, const std::string& unit) {
  const std::vector<std::string_view> words = Words(text);
  std::size_t count = 0;
  if (words.empty() || !ReadWhole(words[0], &count)) {
    throw UserError("a count and as many pairs of rate and value: n rate value rate value ...");
  }
  const std::size_t given = words.size() - 1;
  if (given % 2 != 0 || given / 2 != count) {
    throw UserError(
        fmt::format("{0} pairs of rate and value after the count {0}, which are {1} words, not {2}",
                    count, 2 * count, given));
  }
  RateMap map;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const BitRate rate = ReadRate(words[i]);
    if (map.Find(rate) != nullptr) {
      throw UserError(fmt::format("each rate once, but {} is there twice", heddle::ToText(rate)));
    }
    const Entry entry{rate, ReadValue(words[i + 1], high, unit)};
    const auto place =
        std::upper_bound(map.entries_.begin(), map.entries_.end(), entry,
                         [](const Entry& a, const Entry& b) { return a.rate < b.rate; });
    map.entries_.insert(place, entry);
  }
  return map;
}

const double* RateMap::Find(BitRate rate) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.rate == rate; });
  return found == entries_.end() ? nullptr : &found->value;
}

std::string RateMap::ToText() const {
  std::string text = fmt::format("{}", entries_.size());
  for (const Entry& entry : entries_) text += fmt::format(" {} {}", entry.rate.bps, entry.value);
  return text;
}

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
  const double kmin = Value(kmin_, kKminName, rate, who);
  const double kmax = Value(kmax_, kKmaxName, rate, who);
  if (kmin > kmax) {
    throw UserError(fmt::format(
        "{} is {} KB and {} is {} KB for {}, the rate of {} (the marking probability rises from "
        "kmin to kmax). Give a kmin of at most kmax",
        kKminName, kmin, kKmaxName, kmax, ToText(rate), who));
  }
  const auto bytes = [](double kilobytes) {
    return static_cast<std::int64_t>(std::llround(kilobytes * 1000));
  };
  return {bytes(kmin), bytes(kmax), Value(pmax_, kPmaxName, rate, who)};
}

}  // namespace heddle
