// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/wall_time.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr double kLongest = 1e9;  // s; 31 years

/// Removes a whole number of up to six digits from the front of `text` and returns it.
std::optional<int> TakeNumber(std::string* text) {
  int number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  const std::ptrdiff_t digits = stop - text->data();
  if (error != std::errc() || number < 0 || digits > 6 || text->front() == '-') return std::nullopt;
  text->erase(0, static_cast<std::size_t>(digits));
  return number;
}

bool TakeLetter(char letter, std::string* text) {
  if (text->empty() || text->front() != letter) return false;
  text->erase(0, 1);
  return true;
}

/// "[D-]HH:MM:SS"
std::optional<double> ParseClock(std::string text) {
  double seconds = 0;
  std::optional<int> number = TakeNumber(&text);
  if (number && TakeLetter('-', &text)) {
    seconds = 86400.0 * *number;
    number = TakeNumber(&text);
  }
  if (!number || !TakeLetter(':', &text)) return std::nullopt;
  const std::optional<int> minutes = TakeNumber(&text);
  if (!minutes || *minutes > 59 || !TakeLetter(':', &text)) return std::nullopt;
  const std::optional<int> rest = TakeNumber(&text);
  if (!rest || *rest > 59 || !text.empty()) return std::nullopt;
  return seconds + 3600.0 * *number + 60.0 * *minutes + *rest;
}

/// A number and a unit.
std::optional<double> ParseAmount(const std::string& text) {
  static constexpr std::pair<const char*, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  for (const auto& [name, seconds] : kUnits) {
    if (text.substr(static_cast<std::size_t>(stop - text.data())) == name) return number * seconds;
  }
  return std::nullopt;
}

}  // namespace

double ParseWallTime(const std::string& flag, const std::string& text) {
  std::optional<double> seconds = ParseClock(text);
  if (!seconds) seconds = ParseAmount(text);
  if (seconds && *seconds > 0 && *seconds <= kLongest) return *seconds;
  throw UsageError(flag + ": found '" + Printable(text) +
                   "'. Expected: a time above 0 with a unit (ms, s, min, h, d), such as 10min, or "
                   "HH:MM:SS, such as 01:50:00");
}

}  // namespace heddle
