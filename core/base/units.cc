// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

using Wide = unsigned __int128;

/// A non-negative decimal number: digits x 10^exponent, at most kMaxDigits significant digits (the
/// rest is truncated).
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
};
constexpr int kMaxDigits = 24;  // 10^24 x 2^40 (the largest factor) fits into 128 bits

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Unit, 5> kTimeUnits{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr std::array<Unit, 11> kRateUnits{{{"bps", 1},
                                           {"kbps", 1'000},
                                           {"Mbps", 1'000'000},
                                           {"Gbps", 1'000'000'000},
                                           {"Tbps", 1'000'000'000'000},
                                           {"Kbps", 1'000},
                                           {"b/s", 1},
                                           {"kb/s", 1'000},
                                           {"Mb/s", 1'000'000},
                                           {"Gb/s", 1'000'000'000},
                                           {"Tb/s", 1'000'000'000'000}}};
constexpr std::array<Unit, 11> kSizeUnits{{{"B", 1},
                                           {"KiB", 1LL << 10},
                                           {"MiB", 1LL << 20},
                                           {"GiB", 1LL << 30},
                                           {"TiB", 1LL << 40},
                                           {"kB", 1'000},
                                           {"KB", 1'000},
                                           {"MB", 1'000'000},
                                           {"GB", 1'000'000'000},
                                           {"TB", 1'000'000'000'000},
                                           {"", 1}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads "e-6" or "E+3" at the front of `text` into `exponent`; false if a number does not follow
/// the 'e'.
bool ReadExponent(std::string_view* text, int* exponent) {
  if (text->empty() || (text->front() != 'e' && text->front() != 'E')) return true;
  const char* begin = text->data() + 1;
  const char* end = text->data() + text->size();
  if (begin != end && *begin == '+' && begin + 1 != end && IsDigit(begin[1])) ++begin;
  int value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || value > 9999 || value < -9999) return false;
  *exponent += value;
  text->remove_prefix(static_cast<std::size_t>(stop - text->data()));
  return true;
}

/// Reads the number at the front of `text` and leaves what follows it (the unit).
std::optional<Decimal> ReadDecimal(std::string_view* text) {
  Decimal number;
  int significant = 0;
  bool any_digit = false;
  bool after_point = false;
  while (!text->empty() && (IsDigit(text->front()) || (text->front() == '.' && !after_point))) {
    const char c = text->front();
    text->remove_prefix(1);
    if (c == '.') {
      after_point = true;
      continue;
    }
    any_digit = true;
    if (significant < kMaxDigits) {
      number.digits = number.digits * 10 + static_cast<Wide>(c - '0');
      if (number.digits != 0) ++significant;
      if (after_point) --number.exponent;
    } else if (!after_point) {
      ++number.exponent;
    }
  }
  if (!any_digit || !ReadExponent(text, &number.exponent)) return std::nullopt;
  return number;
}

/// number x factor, rounded to the nearest integer, halves up; nothing if it exceeds 63 bits.
std::optional<std::int64_t> Scale(const Decimal& number, std::int64_t factor) {
  constexpr Wide kMax = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  Wide value = number.digits * static_cast<Wide>(factor);
  if (value == 0 || number.exponent < -38) return 0;
  for (int i = number.exponent; i > 0; --i) {
    value *= 10;
    if (value > kMax) return std::nullopt;
  }
  if (number.exponent < 0) {
    Wide divisor = 1;
    for (int i = number.exponent; i < 0; ++i) divisor *= 10;
    const Wide rest = value % divisor;
    value = value / divisor + (rest >= divisor - rest ? 1 : 0);
  }
  if (value > kMax) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// Common parser of all quantities. `kind` and `example` are for the message.
template <std::size_t N>
std::int64_t ParseQuantity(std::string_view text, const std::array<Unit, N>& units,
                           std::string_view kind, std::string_view example) {
  const auto fail = [&](std::string_view why) {
    throw UserError(fmt::format("'{}' {}. Expected: {}", Printable(text), why, example));
  };
  if (!text.empty() && text.front() == '-') fail(fmt::format("is negative, not a {}", kind));
  std::string_view rest = text;
  const std::optional<Decimal> number = ReadDecimal(&rest);
  if (!number) fail(fmt::format("is not a {}", kind));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == rest; });
  if (unit == units.end()) {
    fail(rest.empty() ? "has no unit" : fmt::format("has the unknown unit '{}'", Printable(rest)));
  }
  const std::optional<std::int64_t> value = Scale(*number, unit->factor);
  if (!value) fail("is out of range");
  return *value;
}

/// Exact value / factor, without trailing zeros of the fraction. `factor` is a power of ten.
std::string ExactFraction(std::uint64_t value, std::uint64_t factor) {
  std::string text = fmt::format("{}", value / factor);
  if (value % factor == 0) return text;
  const std::string digits = fmt::format("{}", value % factor + factor).substr(1);
  return text + '.' + digits.substr(0, digits.find_last_not_of('0') + 1);
}

}  // namespace

Time ParseTime(std::string_view text) {
  return {ParseQuantity(text, kTimeUnits, "time",
                        "a number and one of ps, ns, us, ms, s, such as 500ns or 0.0005ms")};
}

BitRate ParseBitRate(std::string_view text) {
  constexpr std::string_view kExample =
      "a number above zero and one of bps, kbps, Mbps, Gbps, Tbps (or b/s), such as 400Gbps";
  const BitRate rate{ParseQuantity(text, kRateUnits, "data rate", kExample)};
  if (rate.bps <= 0) {
    throw UserError(fmt::format("'{}' is less than one bit per second. Expected: {}",
                                Printable(text), kExample));
  }
  return rate;
}

Bytes ParseBytes(std::string_view text) {
  return {
      ParseQuantity(text, kSizeUnits, "data size",
                    "a number and one of B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB "
                    "(powers of 1024), or a bare number of bytes")};
}

std::string ToText(Time t) {
  if (t.ps == 0) return "0s";
  const std::uint64_t size =
      t.ps < 0 ? 0 - static_cast<std::uint64_t>(t.ps) : static_cast<std::uint64_t>(t.ps);
  const Unit* unit = kTimeUnits.data();
  for (const Unit& larger : kTimeUnits) {
    if (static_cast<std::uint64_t>(larger.factor) <= size) unit = &larger;
  }
  return fmt::format("{}{}{}", t.ps < 0 ? "-" : "",
                     ExactFraction(size, static_cast<std::uint64_t>(unit->factor)), unit->name);
}

std::string ToText(BitRate rate) {
  const Unit* unit = kRateUnits.data();
  for (std::size_t i = 1; i < 5 && rate.bps != 0; ++i) {
    if (rate.bps % kRateUnits[i].factor == 0) unit = &kRateUnits[i];
  }
  return fmt::format("{}{}", rate.bps / unit->factor, unit->name);
}

std::string ToText(Bytes size) {
  const Unit* unit = kSizeUnits.data();
  for (std::size_t i = 1; i < 5; ++i) {
    if (size.count / kSizeUnits[i].factor != 0) unit = &kSizeUnits[i];
  }
  if (unit->factor == 1) return fmt::format("{} B", size.count);
  return fmt::format(
      "{:.2f} {}", static_cast<double>(size.count) / static_cast<double>(unit->factor), unit->name);
}

}  // namespace heddle
