// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/request_input.h"

#include <cmath>

#include "core/base/check.h"
#include "io/serving/request_law_text.h"

namespace heddle {
namespace {

/// Requests/s between the first and the last of a trace. Throws UserError if that is no time.
double MeanRate(const ServingRequests& requests, const std::string& file) {
  const Time span = requests.back().arrival - requests.front().arrival;
  if (span > Time{}) return static_cast<double>(requests.size() - 1) / span.seconds();
  FailInput({file, 0}, "--rate of requests that all come at one time",
            "a trace with two times at least, or --spread");
}

}  // namespace

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
  if (IsRequestLaw(given.requests)) {
    const std::string law = given.rate > 0 ? WithRate(given.requests, given.rate) : given.requests;
    return {DrawRequests(ParseRequestLaw(law), seed), law, {}};
  }
  RequestFile file = ReadRequests(given.requests);
  const auto first = static_cast<std::size_t>(given.first);
  if (first > 0 && first < file.requests.size()) file.requests.resize(first);
  if (given.spread) SpreadTicks(&file.requests);
  const double scale =
      given.rate > 0 ? given.rate / MeanRate(file.requests, given.requests) : given.rate_scale;
  for (ServingRequest& request : file.requests) {
    if (scale == 1) break;
    const double ns = static_cast<double>(request.arrival.ps) * 1e-3 / scale;
    constexpr double kMostNs = 9e15;  // 104 days
    request.arrival = NanoSeconds(std::llround(std::min(ns, kMostNs)));
  }
  return file;
}

}  // namespace heddle
