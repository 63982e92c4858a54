// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/options/nearest_name.h"

namespace heddle {
namespace {

/// Start of every setter's message; Set() prepends the key and the value found.
constexpr std::string_view kExpected = "expected ";

[[noreturn]] void Refuse(const std::string& expected) {
  throw UserError(std::string(kExpected) + expected);
}

/// Enough for every setter's own text; a long value quoted in it is truncated.
constexpr std::size_t kLongestExpectation = 300;

/// Rejects control characters, because a value is echoed, and is stored in the result as
/// zero-terminated text. Tabs count as blanks.
void RefuseControls(std::string_view text) {
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) Refuse("text without control characters");
}

/// Parses the whole text as a number of type T, or throws with the message.
template <class T>
T ParseNumber(std::string_view text, const std::string& expected) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) Refuse(expected);
  return number;
}

bool ParseBool(std::string_view text) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  Refuse("true or false (or 1 or 0)");
}

bool EndsWithoutUnit(std::string_view text) {
  return !text.empty() && ((text.back() >= '0' && text.back() <= '9') || text.back() == '.');
}

Time ParseTimeOption(std::string_view text, const std::string& bare_unit,
                     const std::string& expected) {
  try {
    return ParseTime(EndsWithoutUnit(text) ? std::string(text) + bare_unit : std::string(text));
  } catch (const UserError&) {
    Refuse(expected);
  }
}

BitRate ParseBitRateOption(std::string_view text, const std::string& expected) {
  try {
    return ParseBitRate(text);
  } catch (const UserError&) {
    Refuse(expected);
  }
}

/// Bytes of an option's unit of data; 0 for another unit.
std::int64_t BytesOfUnit(std::string_view unit) {
  return unit == "byte" ? 1 : unit == "MiB" ? std::int64_t{1} << 20 : 0;
}

/// "32MiB" in units of `unit` bytes. Sizes between two whole numbers are refused.
std::int64_t ParseSizeOption(std::string_view text, std::int64_t unit,
                             const std::string& expected) {
  std::int64_t bytes = 0;
  try {
    bytes = ParseBytes(text).count;
  } catch (const UserError&) {
    Refuse(expected);
  }
  if (bytes % unit != 0) Refuse(expected);
  return bytes / unit;
}

Option FromAbout(const OptionSet::About& about) {
  Option option;
  option.key = about.key;
  option.simai_key = about.simai_key;
  option.help = about.help;
  option.unit = about.unit;
  option.source = about.source;
  option.variables = about.variables;
  return option;
}

[[noreturn]] void Fail(const SourceLine& where, const std::string& found,
                       const std::string& expected) {
  if (!where.file.empty()) FailInput(where, found, expected);
  throw UserError(fmt::format("{}. Expected: {}", found, expected));
}

std::string DisplayName(const Option& option) {
  return option.simai_key.empty() ? fmt::format("option {}", option.key)
                                  : fmt::format("option {} ({})", option.key, option.simai_key);
}

std::string ExpectedTime(Time low, Time high, const std::string& bare_unit) {
  return fmt::format("a time from {} to {}, {}", ToText(low), ToText(high),
                     bare_unit.empty() ? std::string("with a unit such as us")
                                       : fmt::format("in {} unless it has a unit", bare_unit));
}

}  // namespace

void OptionSet::Add(const About& about, bool* value) {
  Option option = FromAbout(about);
  option.range = "true or false";
  option.choices = {"true", "false"};
  option.set = [value](std::string_view text) { *value = ParseBool(text); };
  option.get = [value] { return std::string(*value ? "true" : "false"); };
  Add(std::move(option));
}

void OptionSet::Add(const About& about, std::int64_t* value, std::int64_t low, std::int64_t high) {
  Option option = FromAbout(about);
  option.range = fmt::format("{}..{}", low, high);
  const std::int64_t unit = BytesOfUnit(about.unit);
  std::string expected = fmt::format("an integer from {} to {}", low, high);
  if (unit > 0) {
    expected += fmt::format(" ({}), or a size with its unit, such as {}", about.unit,
                            unit > 1 ? "32MiB" : "64KiB");
  }
  option.set = [=](std::string_view text) {
    const auto number = unit > 0 && !EndsWithoutUnit(text)
                            ? ParseSizeOption(text, unit, expected)
                            : ParseNumber<std::int64_t>(text, expected);
    if (number < low || number > high) Refuse(expected);
    *value = number;
  };
  option.get = [value] { return fmt::format("{}", *value); };
  Add(std::move(option));
}

void OptionSet::Add(const About& about, double* value, double low, double high) {
  Option option = FromAbout(about);
  option.range = fmt::format("{}..{}", low, high);
  option.set = [=, expected =
                       fmt::format("a number from {} to {}", low, high)](std::string_view text) {
    const auto number = ParseNumber<double>(text, expected);
    if (!(number >= low && number <= high)) Refuse(expected);
    *value = number;
  };
  option.get = [value] { return fmt::format("{}", *value); };
  Add(std::move(option));
}

void OptionSet::AddTimeOrAuto(const About& about, Time* value, Time low, Time high,
                              const std::string& bare_unit) {
  Option option = FromAbout(about);
  option.range = fmt::format("auto or {}..{}", ToText(low), ToText(high));
  option.choices = {"auto"};
  const std::string expected = "auto, or " + ExpectedTime(low, high, bare_unit);
  option.set = [=](std::string_view text) {
    if (text == "auto") {
      *value = Time{0};
      return;
    }
    const Time time = ParseTimeOption(text, bare_unit, expected);
    if (time < low || time > high) Refuse(expected);
    *value = time;
  };
  option.get = [value] { return *value == Time{0} ? std::string("auto") : ToText(*value); };
  Add(std::move(option));
}

void OptionSet::Add(const About& about, Time* value, Time low, Time high,
                    const std::string& bare_unit) {
  Option option = FromAbout(about);
  option.range = fmt::format("{}..{}", ToText(low), ToText(high));
  const std::string expected = ExpectedTime(low, high, bare_unit);
  option.set = [=](std::string_view text) {
    const Time time = ParseTimeOption(text, bare_unit, expected);
    if (time < low || time > high) Refuse(expected);
    *value = time;
  };
  option.get = [value] { return ToText(*value); };
  Add(std::move(option));
}

void OptionSet::Add(const About& about, BitRate* value, BitRate low, BitRate high) {
  Option option = FromAbout(about);
  option.range = fmt::format("{}..{}", ToText(low), ToText(high));
  const std::string expected = fmt::format("a rate from {} to {}, with a unit such as Mb/s or Gbps",
                                           ToText(low), ToText(high));
  option.set = [=](std::string_view text) {
    const BitRate rate = ParseBitRateOption(text, expected);
    if (rate < low || high < rate) Refuse(expected);
    *value = rate;
  };
  option.get = [value] { return ToText(*value); };
  Add(std::move(option));
}

void OptionSet::Add(const About& about, std::string* value,
                    const std::vector<std::string>& allowed) {
  AddWord(
      about, allowed, [value](const std::string& word) { *value = word; },
      [value] { return *value; });
}

void OptionSet::AddWord(const About& about, const std::vector<std::string>& allowed,
                        std::function<void(const std::string&)> set,
                        std::function<std::string()> get) {
  Option option = FromAbout(about);
  option.range = allowed.empty() ? "any text" : fmt::format("{}", fmt::join(allowed, ", "));
  option.choices = allowed;
  option.set = [=, range = option.range, set = std::move(set)](std::string_view text) {
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
      Refuse("one of " + range);
    }
    set(std::string(text));
  };
  option.get = std::move(get);
  Add(std::move(option));
}

void OptionSet::Add(Option option) {
  HEDDLE_INVARIANT(!Knows(option.key), "option declared twice: " + option.key);
  HEDDLE_INVARIANT(option.simai_key.empty() || !Knows(option.simai_key),
                   "SimAI's key declared twice: " + option.simai_key);
  if (option.default_text.empty() && option.get) option.default_text = option.get();
  options_.push_back(std::move(option));
}

void OptionSet::AddUnused(UnusedKey key) {
  HEDDLE_INVARIANT(!Knows(key.simai_key), "SimAI's key declared twice: " + key.simai_key);
  unused_.push_back(std::move(key));
}

void OptionSet::AddGroup(OptionGroup group) {
  const auto same = [&](const OptionGroup& other) { return other.prefix == group.prefix; };
  HEDDLE_INVARIANT(std::none_of(groups_.begin(), groups_.end(), same),
                   "group of options declared twice: " + group.prefix);
  groups_.push_back(std::move(group));
}

void OptionSet::SetAll(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw UsageError("--set " + Printable(setting) + ": expected KEY=VALUE");
    Set(setting.substr(0, equals), setting.substr(equals + 1), {"--set " + Printable(setting), 0});
  }
}

void OptionSet::Set(std::string_view key, std::string_view value, const SourceLine& where) {
  if (Option* option = Find(key)) {
    try {
      RefuseControls(value);
      option->set(value);
    } catch (const UserError& error) {
      std::string expected = error.what();
      if (expected.rfind(kExpected, 0) == 0) expected.erase(0, kExpected.size());
      Fail(where, fmt::format("{}: found '{}'", DisplayName(*option), Printable(value)),
           Printable(expected, kLongestExpectation));
    }
    option->set_by_user = true;
    return;
  }
  if (!Knows(key)) {
    Fail(where, fmt::format("unknown option '{}'", Printable(key)),
         options_.empty() ? "no options here" : "a known option" + NearestKey(key));
  }
  auto& given = given_but_unused_;
  if (std::find(given.begin(), given.end(), key) == given.end()) given.emplace_back(key);
}

bool OptionSet::Preset(std::string_view key, std::string_view value) {
  Option* const option = Find(key);
  HEDDLE_INVARIANT(option != nullptr, "no option to set: " + std::string(key));
  if (option->set_by_user) return false;
  option->set(value);
  return true;
}

void OptionSet::WhenSet(std::string_view key, std::function<void()> follow) {
  Option* const option = Find(key);
  HEDDLE_INVARIANT(option != nullptr, "no option to follow: " + std::string(key));
  option->set = [set = option->set, follow = std::move(follow)](std::string_view text) {
    set(text);
    follow();
  };
}

bool OptionSet::Knows(std::string_view key) const {
  const auto is_option = [&](const Option& o) {
    return o.key == key || (!o.simai_key.empty() && o.simai_key == key);
  };
  return std::any_of(options_.begin(), options_.end(), is_option) ||
         std::any_of(unused_.begin(), unused_.end(),
                     [&](const UnusedKey& u) { return u.simai_key == key; });
}

Option* OptionSet::Find(std::string_view key) {
  for (Option& option : options_) {
    if (option.key == key || (!option.simai_key.empty() && option.simai_key == key)) return &option;
  }
  return nullptr;
}

std::vector<const Option*> OptionSet::FindByName(std::string_view name) const {
  std::vector<const Option*> found;
  for (const bool exactly : {true, false}) {
    const auto is_name = [&](const std::string& own) {
      return !own.empty() && (exactly ? own == name : EqualLetters(own, name));
    };
    for (const Option& option : options_) {
      const auto& variables = option.variables;
      if (is_name(option.key) || is_name(option.simai_key) ||
          std::any_of(variables.begin(), variables.end(), is_name))
        found.push_back(&option);
    }
    if (!found.empty()) break;
  }
  return found;
}

std::string OptionSet::NearestKey(std::string_view key) const {
  std::vector<std::string> known;
  for (const Option& option : options_) {
    known.push_back(option.key);
    if (!option.simai_key.empty()) known.push_back(option.simai_key);
  }
  for (const UnusedKey& unused : unused_) known.push_back(unused.simai_key);
  return NearestIs(key, known);
}

std::string PrefixOf(std::string_view key) { return std::string(key.substr(0, key.find('.'))); }

}  // namespace heddle
