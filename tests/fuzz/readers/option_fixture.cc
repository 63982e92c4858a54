// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/readers/option_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "io/simai/unused_simai_keys.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

bool HasControls(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; });
}

void AddNeighbours(const std::string& word, std::vector<std::string>* values) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || !(std::abs(number) < 1e18)) return;
  for (const double factor : {0.5, 1.0, 1.0000001}) {
    for (const double beside : {-1.0, 0.0, 1.0}) {
      const double value = number * factor + beside;
      values->push_back(fmt::format("{:.0f}{}", value, end));
      values->push_back(fmt::format("{}{}", value, end));
    }
  }
}

/// Candidate values from a range text ("1..65000", "true or false", "0..100 without unit [us]"):
/// its words and numbers, and numbers next to those.
std::vector<std::string> ValuesOf(const Option& option) {
  std::vector<std::string> values = {option.default_text, option.range};
  values.insert(values.end(), option.choices.begin(), option.choices.end());
  const std::string& range = option.range;
  for (std::size_t at = 0; at < range.size();) {
    const std::size_t end =
        std::min({range.find_first_of(" ,;|[]()", at), range.find("..", at), range.size()});
    const std::string word = range.substr(at, end - at);
    if (!word.empty()) {
      values.push_back(word);
      AddNeighbours(word, &values);
    }
    at = end + (range.compare(end, 2, "..") == 0 ? 2 : 1);
  }
  return values;
}

}  // namespace

OptionFixture::OptionFixture() {
  transport.Declare(&options);
  collectives.Declare(&options);
  DeclareUnusedSimaiKeys(&options);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  options.Add({"fuzz.flag", "FUZZ_FLAG", "", "", ""}, &flag);
  options.Add({"fuzz.whole", "FUZZ_WHOLE", "", "", ""}, &whole, -kMost - 1, kMost);
  options.Add({"fuzz.real", "FUZZ_REAL", "", "", ""}, &real, -1e300, 1e300);
  options.Add({"fuzz.bare", "FUZZ_BARE", "", "us", ""}, &bare, Time{0}, Time{kMost}, "us");
  options.Add({"fuzz.united", "FUZZ_UNITED", "", "", ""}, &united, Time{1}, Time{kMost / 2}, "");
  options.Add({"fuzz.text", "FUZZ_TEXT", "", "", ""}, &text, {});
  options.Add({"fuzz.choice", "FUZZ_CHOICE", "", "", ""}, &choice, {"one", "another", "neither"});
}

void CheckOptionsRoundTrip(const OptionSet& options) {
  OptionFixture again;
  for (const Option& option : options.options()) {
    const std::string value = option.get();
    if (HasControls(value)) Complain(fmt::format("option {} took control characters", option.key));
    try {
      again.options.Set(option.key, value);
    } catch (const Error& error) {
      Complain(
          fmt::format("option {} refuses its own value '{}': {}", option.key, value, error.what()));
    }
  }
  for (std::size_t i = 0; i < options.options().size(); ++i) {
    const Option& option = options.options()[i];
    const std::string back = again.options.options()[i].get();
    if (back != option.get())
      Complain(fmt::format("option {}: '{}' set again gives '{}'", option.key, option.get(), back));
  }
}

std::vector<KeyValues> AllKeyValues() {
  const OptionFixture fixture;
  std::vector<KeyValues> keys;
  for (const Option& option : fixture.options.options()) {
    keys.push_back({option.key, ValuesOf(option)});
    if (!option.simai_key.empty()) keys.push_back({option.simai_key, ValuesOf(option)});
  }
  for (const UnusedKey& key : fixture.options.unused_keys()) keys.push_back({key.simai_key, {"1"}});
  return keys;
}

}  // namespace heddle
