// SPDX-License-Identifier: GPL-2.0-only
/// Radix sort of rows by a 64-bit word each.
#ifndef HEDDLE_CORE_CONTAINERS_WORD_SORT_H_
#define HEDDLE_CORE_CONTAINERS_WORD_SORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
  std::vector<Worded<Value>> other(entries->size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((varies >> shift & 0xff) == 0) continue;
    std::array<std::size_t, 256> place{};
    for (const auto& entry : *entries) ++place[entry.word >> shift & 0xff];
    std::size_t sum = 0;
    for (std::size_t& count : place) sum += std::exchange(count, sum);
    for (const auto& entry : *entries) other[place[entry.word >> shift & 0xff]++] = entry;
    entries->swap(other);
  }
}

}  // namespace heddle

#endif  // HEDDLE_CORE_CONTAINERS_WORD_SORT_H_
