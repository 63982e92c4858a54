// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/flag_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "topology/files/link_text.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

/// Returns what is expected instead; empty if the text may stand in a topology file.
std::string WrongWith(const FlagSet::Flag& flag) {
  const std::string& text = *flag.text;
  switch (flag.kind) {
    case FlagSet::Kind::kWord: {
      const bool blank =
          std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' '; });
      return text.empty() || blank ? "one word, such as " + flag.example : "";
    }
    case FlagSet::Kind::kRate:
      return ReadLinkRate(text) ? "" : kLinkRateRange;
    case FlagSet::Kind::kDelay:
      return ReadLinkDelay(text) ? "" : kLinkDelayRange;
    case FlagSet::Kind::kErrorRate:
      return ReadErrorRate(text) ? "" : kErrorRateRange;
    case FlagSet::Kind::kRatio:
      return ReadRatio(text) || text == kNoRatio ? "" : "a number above zero, such as 1 or 2";
    case FlagSet::Kind::kSizes:
      if (text == kNoList && flag.may_be_none) return "";
      return ReadSizes(text, flag.least, flag.most)
                 ? ""
                 : fmt::format("1 to {} whole numbers from {} to {} joined by x, such as {}",
                               kMostSizes, flag.least, flag.most, flag.example);
    case FlagSet::Kind::kRates:
      return text == kNoList || ReadRates(text)
                 ? ""
                 : fmt::format("1 to {} rates joined by commas, each {}", kMostSizes,
                               kLinkRateRange);
    default:
      return "";
  }
}

std::uint32_t ParseCount(const FlagSet::Flag& flag, const std::string& text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw UsageError(
        fmt::format("-{} \"{}\". Expected: a whole number", flag.about.brief, Printable(text)));
  }
  return value;
}

/// The parts of a text between separators; a text without one is one part.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void RefuseFabric(const std::string& fabric, const std::string& found,
                  const std::string& expected) {
  throw UserError(fmt::format("{}: {}. Expected: {}", fabric, found, expected));
}

std::optional<double> ReadRatio(std::string_view word) {
  double ratio = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, ratio);
  if (error != std::errc() || stop != end || !(ratio > 0) || !std::isfinite(ratio))
    return std::nullopt;
  return ratio;
}

std::optional<std::vector<std::uint32_t>> ReadSizes(std::string_view word, std::uint32_t least,
                                                    std::uint32_t most) {
  std::vector<std::uint32_t> sizes;
  for (const std::string_view part : Split(word, 'x')) {
    std::uint32_t size = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, size);
    if (error != std::errc() || stop != end || size < least || size > most) return std::nullopt;
    sizes.push_back(size);
  }
  if (sizes.size() > kMostSizes) return std::nullopt;
  return sizes;
}

std::optional<std::vector<std::string>> ReadRates(std::string_view word) {
  std::vector<std::string> rates;
  for (const std::string_view part : Split(word, ',')) {
    if (!ReadLinkRate(part)) return std::nullopt;
    rates.emplace_back(part);
  }
  if (rates.size() > kMostSizes) return std::nullopt;
  return rates;
}

void FlagSet::AddCount(const About& about, std::uint32_t* value, std::uint32_t least,
                       std::uint32_t most) {
  flags_.push_back({about, Kind::kCount, least, most, {}, value, nullptr});
}

void FlagSet::AddWord(const About& about, std::string* value, const std::string& example) {
  flags_.push_back({about, Kind::kWord, 0, 0, example, nullptr, value});
}

void FlagSet::AddRatio(const About& about, std::string* value) {
  flags_.push_back({about, Kind::kRatio, 0, 0, {}, nullptr, value});
}

void FlagSet::AddSizes(const About& about, std::string* value, std::uint32_t least,
                       std::uint32_t most, const std::string& example) {
  const bool may_be_none = *value == kNoList;
  flags_.push_back({about, Kind::kSizes, least, most, example, nullptr, value, false, may_be_none});
}

void FlagSet::AddRates(const About& about, std::string* value) {
  flags_.push_back({about, Kind::kRates, 0, 0, {}, nullptr, value});
}

void FlagSet::AddLinkValue(const About& about, Kind kind, std::string* value) {
  HEDDLE_EXPECT(kind == Kind::kRate || kind == Kind::kDelay || kind == Kind::kErrorRate);
  flags_.push_back({about, kind, 0, 0, {}, nullptr, value});
}

const FlagSet::Flag* FlagSet::Find(const std::string& name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) {
    return name == flag.about.brief || name == flag.about.name ||
           (!name.empty() && name == flag.about.also);
  });
  return found == flags_.end() ? nullptr : &*found;
}

bool FlagSet::IsGiven(const std::string& name) const {
  const Flag* flag = Find(name);
  HEDDLE_EXPECT(flag != nullptr);
  return flag->is_given;
}

void FlagSet::Set(const std::string& name, const std::string& text) {
  const Flag* found = Find(name);
  HEDDLE_EXPECT(found != nullptr);
  Flag& flag = flags_[static_cast<std::size_t>(found - flags_.data())];
  if (flag.kind == Kind::kCount) {
    *flag.number = ParseCount(flag, text);
  } else {
    *flag.text = text;
  }
  flag.is_given = true;
}

void FlagSet::CheckCounts(const std::string& fabric) const {
  for (const Flag& flag : flags_) {
    if (flag.kind != Kind::kCount) continue;
    const std::uint32_t value = *flag.number;
    if (value >= flag.least && value <= flag.most) continue;
    RefuseFabric(fabric, fmt::format("{} {} (-{})", value, flag.about.subject, flag.about.brief),
                 flag.least == 0 ? fmt::format("at most {}", flag.most)
                                 : fmt::format("{} to {}", flag.least, flag.most));
  }
}

void FlagSet::CheckTexts(const std::string& fabric) const {
  for (const Flag& flag : flags_) {
    if (flag.kind == Kind::kCount) continue;
    const std::string expected = WrongWith(flag);
    if (expected.empty()) continue;
    RefuseFabric(
        fabric, fmt::format("{} (-{}) {}", flag.about.subject, flag.about.brief, Quote(*flag.text)),
        expected);
  }
}

}  // namespace heddle
