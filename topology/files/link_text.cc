// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/link_text.h"

#include <charconv>

#include "core/base/check.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

/// Applies `parse` to a word without blanks; `parse` accepts a blank before the unit, files do not.
template <class T>
std::optional<T> Read(std::string_view word, T (*parse)(std::string_view)) {
  if (word.find(' ') != std::string_view::npos) return std::nullopt;
  try {
    return parse(word);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<BitRate> ReadLinkRate(std::string_view word) {
  const std::optional<BitRate> rate = Read(word, ParseBitRate);
  return rate && (*rate < kLowestLinkRate || kHighestLinkRate < *rate) ? std::nullopt : rate;
}

std::optional<Time> ReadLinkDelay(std::string_view word) {
  const std::optional<Time> delay = Read(word, ParseTime);
  return delay && (*delay < Time{0} || *delay > kLongestLinkDelay) ? std::nullopt : delay;
}

std::optional<double> ReadErrorRate(std::string_view word) {
  double rate = -1;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, rate);
  if (error != std::errc() || stop != end || !(rate >= 0 && rate < 1)) return std::nullopt;
  return rate == 0 ? 0.0 : rate;  // turns -0.0 into 0.0
}

}  // namespace heddle
