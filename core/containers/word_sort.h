// SPDX-License-Identifier: GPL-2.0-only
/// Radix sort of rows by a 64-bit word each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// What is sorted, and the word by which it is.
template <class Value>
struct Worded {
  std::uint64_t word;
  Value value;
};

/// Sorts by the words, from their lowest byte on; skips bytes that are equal in all words. Entries
/// of equal words keep their order. Takes as much memory again.
template <class Value>
void SortByWord(std::vector<Worded<Value>>* entries) {
  std::uint64_t varies = 0;
  for (const auto& entry : *entries) varies |= entry.word ^ entries->front().word;
  // All bytes are counted at once, so that each pass reads the entries only once.
  std::array<std::array<std::uint32_t, 256>, 8> places{};
  HEDDLE_EXPECT(entries->size() <= std::numeric_limits<std::uint32_t>::max());
  std::array<unsigned, 8> shifts{};
  unsigned passes = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((varies >> shift & 0xff) != 0) shifts[passes++] = shift;
  }
  for (const auto& entry : *entries) {
    for (unsigned pass = 0; pass < passes; ++pass)
      ++places[pass][entry.word >> shifts[pass] & 0xff];
  }
  std::vector<Worded<Value>> other(passes == 0 ? 0 : entries->size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::array<std::uint32_t, 256>& place = places[pass];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : place) sum += std::exchange(count, sum);
    for (const auto& entry : *entries) other[place[entry.word >> shifts[pass] & 0xff]++] = entry;
    entries->swap(other);
  }
}

}  // namespace heddle
