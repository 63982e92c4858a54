// SPDX-License-Identifier: GPL-2.0-only
/// Strong types for time, data size and data rate, and their text forms.
///
/// A wrong unit does not compile: a Time is not a Bytes, and neither is made from a bare number
/// without naming the unit. Simulation state holds no floating-point seconds; one tick is a
/// picosecond, so 100 Gbps is 80 ticks a byte exactly.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace heddle {

/// A point in simulated time, or a duration, in picoseconds [ps]. Range: plus or minus 106 days.
struct Time {
  std::int64_t ps = 0;

  /// Returns the largest time, which stands for "never".
  static constexpr Time Max() { return {std::numeric_limits<std::int64_t>::max()}; }
  /// Returns the time in [ns], for output: above 2^53 ps digits are lost.
  constexpr double nanoseconds() const { return static_cast<double>(ps) * 1e-3; }
  /// Returns the time in [us], likewise.
  constexpr double microseconds() const { return static_cast<double>(ps) * 1e-6; }
  /// Returns the time in [s], likewise.
  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& ps;
  }
};

/// Makes a time of `n` [ps].
constexpr Time PicoSeconds(std::int64_t n) { return {n}; }
/// Makes a time of `n` [ns]; |n| at most 9.2e15.
constexpr Time NanoSeconds(std::int64_t n) { return {n * 1000}; }
/// Makes a time of `n` [us]; |n| at most 9.2e12.
constexpr Time MicroSeconds(std::int64_t n) { return {n * 1000000}; }

constexpr bool operator==(Time a, Time b) { return a.ps == b.ps; }
constexpr bool operator!=(Time a, Time b) { return a.ps != b.ps; }
constexpr bool operator<(Time a, Time b) { return a.ps < b.ps; }
constexpr bool operator>(Time a, Time b) { return a.ps > b.ps; }
constexpr bool operator<=(Time a, Time b) { return a.ps <= b.ps; }
constexpr bool operator>=(Time a, Time b) { return a.ps >= b.ps; }
/// Adds. The sum must be in range, which is not checked.
constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
/// Multiplies by a count, unchecked likewise.
constexpr Time operator*(Time a, std::int64_t n) { return {a.ps * n}; }
constexpr Time& operator+=(Time& a, Time b) { return a = a + b; }

/// An amount of data [byte].
struct Bytes {
  std::int64_t count = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& count;
  }
};

constexpr bool operator==(Bytes a, Bytes b) { return a.count == b.count; }
constexpr bool operator!=(Bytes a, Bytes b) { return a.count != b.count; }
constexpr bool operator<(Bytes a, Bytes b) { return a.count < b.count; }
constexpr bool operator>(Bytes a, Bytes b) { return a.count > b.count; }
constexpr bool operator<=(Bytes a, Bytes b) { return a.count <= b.count; }
constexpr bool operator>=(Bytes a, Bytes b) { return a.count >= b.count; }
constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
constexpr Bytes& operator+=(Bytes& a, Bytes b) { return a = a + b; }

/// A data rate [bit/s]. A usable link has a rate above zero.
struct BitRate {
  std::int64_t bps = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& bps;
  }
};

constexpr bool operator==(BitRate a, BitRate b) { return a.bps == b.bps; }
constexpr bool operator!=(BitRate a, BitRate b) { return a.bps != b.bps; }
constexpr bool operator<(BitRate a, BitRate b) { return a.bps < b.bps; }

/// Returns how long `size` occupies a link of rate `rate`, rounded up to the picosecond, so that a
/// link never carries more than its rate. Requires rate > 0 and 0 <= size < 1 MB (the product is
/// kept in 63 bits).
constexpr Time TransmissionTime(Bytes size, BitRate rate) {
  return {(size.count * 8'000'000'000'000 + rate.bps - 1) / rate.bps};
}

/// Returns `t` truncated to whole nanoseconds, as SimAI keeps time (option compat.truncate_ns).
constexpr Time TruncateToNanoseconds(Time t) { return {t.ps / 1000 * 1000}; }

/// Parses "0.0005ms", "25ns", "3us", "1e-6s", "7ps". A bare number has no unit and is refused.
/// Throws UserError that names the text and the units known; also if the value is negative, not
/// finite or out of range.
Time ParseTime(std::string_view text);

/// Parses "400Gbps", "2880Gb/s", "100Mbps", "50000bps" (decimal prefixes, bits). Throws UserError,
/// also for rates <= 0.
BitRate ParseBitRate(std::string_view text);

/// Parses "16MiB", "1MB", "4096", "4096B" (KiB = 1024, kB = 1000). Throws UserError.
Bytes ParseBytes(std::string_view text);

/// Returns the shortest text that reads back as the same value, with the largest fitting unit:
/// "850.3us", "25ns", "3ps".
std::string ToText(Time t);
/// Returns "400Gbps"; 2.88 Tbps is "2880Gbps": the unit is the largest that keeps a whole number.
std::string ToText(BitRate rate);
/// Returns a text for people: "9.54 MiB".
std::string ToText(Bytes size);

}  // namespace heddle
