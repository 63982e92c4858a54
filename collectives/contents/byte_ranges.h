// SPDX-License-Identifier: GPL-2.0-only
/// A set of bytes of a buffer, as ranges that neither overlap nor touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace heddle {

class ByteRanges {
 public:
  /// Adds the bytes [begin, end), and joins ranges that overlap or touch; nothing if begin >= end.
  void Add(std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second >= begin) {
      --at;
      begin = at->first;
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    while (at != ends_.end() && at->first <= end) {
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace(begin, end);
  }
  void Clear() { ends_.clear(); }  ///< no byte is left in the set

  /// Whether all bytes of [begin, end) are in the set; true for an empty range.
  bool HasAll(std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return true;
    auto at = ends_.upper_bound(begin);
    return at != ends_.begin() && (--at)->second >= end;
  }
  /// Whether no byte of [begin, end) is in the set.
  bool HasNone(std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return true;
    const auto at = ends_.lower_bound(end);
    return at == ends_.begin() || std::prev(at)->second <= begin;
  }
  /// Calls visit(begin, end) for what is missing of the range, ascending.
  template <class Visit>
  void ForEachGap(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second > begin) begin = std::prev(at)->second;
    for (; begin < end; ++at) {
      const std::int64_t stop = at == ends_.end() ? end : std::min(end, at->first);
      if (begin < stop) visit(begin, stop);
      if (at == ends_.end()) return;
      begin = at->second;
    }
  }

 private:
  std::map<std::int64_t, std::int64_t> ends_;  ///< by begin
};

}  // namespace heddle
