// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/request_input.h"

#include <cmath>

#include "io/serving/request_law_text.h"

namespace heddle {

void SpreadTicks(ServingRequests* requests) {
  Time span;  // of the last time that had a next one
  for (std::size_t begin = 0; begin < requests->size();) {
    const Time tick = (*requests)[begin].arrival;
    std::size_t end = begin;
    while (end < requests->size() && (*requests)[end].arrival == tick) ++end;
    if (end < requests->size()) span = (*requests)[end].arrival - tick;
    const auto count = static_cast<std::int64_t>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const auto place = static_cast<std::int64_t>(i - begin);
      (*requests)[i].arrival +=
          Time{static_cast<std::int64_t>(static_cast<__int128>(span.ps) * place / count)};
    }
    begin = end;
  }
}

RequestFile LoadRequests(const ServingArguments& given, std::uint64_t seed) {
  if (IsRequestLaw(given.requests))
    return {DrawRequests(ParseRequestLaw(given.requests), seed), given.requests, {}};
  RequestFile file = ReadRequests(given.requests);
  const auto first = static_cast<std::size_t>(given.first);
  if (first > 0 && first < file.requests.size()) file.requests.resize(first);
  if (given.spread) SpreadTicks(&file.requests);
  for (ServingRequest& request : file.requests) {
    if (given.rate_scale == 1) break;
    const double ns = static_cast<double>(request.arrival.ps) * 1e-3 / given.rate_scale;
    constexpr double kMostNs = 9e15;  // 104 days
    request.arrival = NanoSeconds(std::llround(std::min(ns, kMostNs)));
  }
  return file;
}

}  // namespace heddle
