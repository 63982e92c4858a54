// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/rate_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/check.h"

namespace heddle {
namespace {

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

bool HasOnly(std::string_view characters, std::string_view word) {
  return !word.empty() && word.find_first_not_of(characters) == std::string_view::npos;
}

BitRate ReadRate(std::string_view word) {
  try {
    return ParseBitRate(HasOnly("0123456789.", word) ? std::string(word) + "bps"
                                                     : std::string(word));
  } catch (const UserError&) {
    throw UserError(fmt::format(
        "a rate above zero in bit/s or with a unit such as 400Gbps, not '{}'", Printable(word)));
  }
}

std::string RangeText(double high, const std::string& unit) {
  return fmt::format("from 0 to {:.0f}{}{}", high, unit.empty() ? "" : " ", unit);
}

double ReadValue(std::string_view word, double high, const std::string& unit) {
  double value = 0;
  if (!ReadWhole(word, &value) || !(value >= 0 && value <= high))
    throw UserError(fmt::format("values {}, not '{}'", RangeText(high, unit), Printable(word)));
  return value;
}

/// The number of a text with a unit [KB], or of one without.
std::optional<double> ReadOneValue(std::string_view word, const std::string& unit) {
  if (unit.empty()) {
    double value = 0;
    return ReadWhole(word, &value) && !std::isnan(value) ? std::optional<double>(value)
                                                         : std::nullopt;
  }
  try {
    return static_cast<double>(ParseBytes(word).count) / 1000;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// What a map is, for messages.
std::string FormText(const std::string& unit) {
  return fmt::format("one value for all ports, such as {}, or n rate value rate value ...: {}",
                     unit.empty() ? "0.2" : "400" + unit,
                     unit.empty() ? "2 100Gbps 0.2 400Gbps 0.1" : "2 100Gbps 400 400Gbps 1600");
}

}  // namespace

RateMap RateMap::ParseOneValue(std::string_view word, double high, const std::string& unit) {
  RateMap map;
  map.unit_ = unit;
  const std::optional<double> value = ReadOneValue(word, unit);
  if (!value) throw UserError(FormText(unit) + fmt::format(". '{}' is neither", Printable(word)));
  if (*value < 0 || *value > high)
    throw UserError(fmt::format("values {}, not '{}'", RangeText(high, unit), Printable(word)));
  map.one_value_ = value;
  return map;
}

RateMap RateMap::Parse(std::string_view text, double high, const std::string& unit) {
  const std::vector<std::string_view> words = Words(text);
  if (words.size() == 1 && !HasOnly("0123456789", words[0]))
    return ParseOneValue(words[0], high, unit);
  std::size_t count = 0;
  if (words.empty() || !ReadWhole(words[0], &count)) throw UserError(FormText(unit));
  const std::size_t given = words.size() - 1;
  if (given == 0 && count > 0) {
    throw UserError(FormText(unit) + fmt::format(". '{0}' is a count without pairs; one value is "
                                                 "written {0}{1}",
                                                 count, unit.empty() ? ".0" : unit));
  }
  if (given % 2 != 0 || given / 2 != count) {
    throw UserError(fmt::format(
        "{0} pairs of rate and value after the count {0}, which are {1} words, not {2}; "
        "such as 2 100Gbps VALUE 400Gbps VALUE",
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

std::optional<RateMap::Entry> RateMap::Nearest(BitRate rate) const {
  if (entries_.empty()) return std::nullopt;
  const auto above = std::lower_bound(entries_.begin(), entries_.end(), rate,
                                      [](const Entry& entry, BitRate r) { return entry.rate < r; });
  if (above == entries_.begin() || (above != entries_.end() && above->rate == rate)) return *above;
  const Entry& below = *(above - 1);
  if (above == entries_.end()) return below;
  // rate / below <= above / rate
  const auto r = static_cast<double>(rate.bps);
  const double product = static_cast<double>(below.rate.bps) * static_cast<double>(above->rate.bps);
  return r * r <= product ? below : *above;
}

std::string RateMap::ToText() const {
  if (one_value_) {
    const std::string value = fmt::format("{}", *one_value_);
    return unit_.empty() && HasOnly("0123456789", value) ? value + ".0" : value + unit_;
  }
  std::string text = fmt::format("{}", entries_.size());
  for (const Entry& entry : entries_) text += fmt::format(" {} {}", entry.rate.bps, entry.value);
  return text;
}

}  // namespace heddle
