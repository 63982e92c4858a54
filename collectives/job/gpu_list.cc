// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/gpu_list.h"

#include <algorithm>
#include <charconv>

namespace heddle {
namespace {

bool ParseNumber(std::string_view text, std::uint32_t* number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

bool ParseRange(std::string_view text, GpuRange* range) {
  const std::size_t dash = text.find('-');
  if (!ParseNumber(text.substr(0, dash), &range->first)) return false;
  range->last = range->first;
  return dash == std::string_view::npos ||
         (ParseNumber(text.substr(dash + 1), &range->last) && range->last >= range->first);
}

}  // namespace

std::optional<GpuList> ParseGpuList(std::string_view text) {
  GpuList list;
  if (text.empty()) return list;
  if (text.find_first_of("-+") == std::string_view::npos) {
    if (!ParseNumber(text, &list.count) || list.count == 0) return std::nullopt;
    return list;
  }
  while (true) {
    const std::string_view item = text.substr(0, text.find('+'));
    GpuRange range;
    if (!ParseRange(item, &range)) return std::nullopt;
    list.ranges.push_back(range);
    if (item.size() == text.size()) return list;
    text.remove_prefix(item.size() + 1);
  }
}

}  // namespace heddle
