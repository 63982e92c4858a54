// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_figures.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

/// Values with their numbers, ascending, and where each begins in the row of all.
class Ranked {
 public:
  explicit Ranked(const TokenGaps& values) {
    for (const auto& [value, number] : values) {
      values_.push_back(static_cast<double>(value));
      begins_.push_back(count_);
      count_ += number;
    }
  }
  std::int64_t count() const { return count_; }
  double At(std::int64_t place) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), place);
    return values_[static_cast<std::size_t>(after - begins_.begin()) - 1];
  }
  double Percentile(double share) const {
    const double place = share * static_cast<double>(count_ - 1);
    const auto below = static_cast<std::int64_t>(std::floor(place));
    const double low = At(below), high = At(std::min(below + 1, count_ - 1));
    return low + (high - low) * (place - static_cast<double>(below));
  }

 private:
  std::vector<double> values_;
  std::vector<std::int64_t> begins_;
  std::int64_t count_ = 0;
};

/// Adds `to` - `from` if both came.
void AddSpan(Time from, Time to, TokenGaps* values) {
  if (from >= Time{} && to >= Time{}) ++(*values)[(to - from).ps];
}

/// Rounded down to the picosecond; 0 for one token.
Time TimePerToken(const ServingRequest& request, const RequestTimes& times) {
  if (request.output <= 1) return {};
  return Time{(times.last - times.first).ps / (request.output - 1)};
}

}  // namespace

Latencies LatenciesOf(const TokenGaps& values) {
  const Ranked ranked(values);
  Latencies found;
  found.count = ranked.count();
  if (found.count == 0) return found;
  __int128 sum = 0;
  for (const auto& [value, number] : values) sum += __int128{value} * number;
  found.mean = static_cast<double>(sum) / static_cast<double>(found.count);
  found.p50 = ranked.Percentile(0.5);
  found.p90 = ranked.Percentile(0.9);
  found.p99 = ranked.Percentile(0.99);
  found.most = ranked.At(found.count - 1);
  return found;
}

ServingFigures FiguresOfServing(const ServingRequests& requests,
                                const std::vector<RequestTimes>& times, const TokenGaps& gaps) {
  ServingFigures figures;
  figures.requests = static_cast<std::int64_t>(requests.size());
  if (!requests.empty()) figures.begin = figures.end = requests[0].arrival;
  TokenGaps ttft, tpot, e2el, queue, prefill, room, transfer;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RequestTimes& one = times[i];
    figures.rejected += one.state == RequestState::kRejected ? 1 : 0;
    figures.preempted += one.preempted;
    if (one.state != RequestState::kFinished) continue;
    ++figures.finished;
    figures.input_tokens += requests[i].input;
    figures.output_tokens += requests[i].output;
    figures.end = std::max(figures.end, one.last);
    AddSpan(requests[i].arrival, one.first, &ttft);
    AddSpan(requests[i].arrival, one.last, &e2el);
    if (requests[i].output > 1) ++tpot[TimePerToken(requests[i], one).ps];
    AddSpan(requests[i].arrival, one.begun, &queue);
    AddSpan(one.begun, one.computed, &prefill);
    // KV may leave before the prompt is computed: what is hidden behind that delays nothing.
    if (one.granted >= Time{}) AddSpan(one.computed, std::max(one.granted, one.computed), &room);
    if (one.sending >= Time{}) AddSpan(std::max(one.sending, one.computed), one.arrived, &transfer);
  }
  figures.ttft = LatenciesOf(ttft);
  figures.tpot = LatenciesOf(tpot);
  figures.itl = LatenciesOf(gaps);
  figures.e2el = LatenciesOf(e2el);
  figures.queue = LatenciesOf(queue);
  figures.prefill = LatenciesOf(prefill);
  figures.room = LatenciesOf(room);
  figures.transfer = LatenciesOf(transfer);
  return figures;
}

bool KeepsLevel(const ServingRequest& request, const RequestTimes& times,
                const ServiceLevel& level) {
  if (times.state != RequestState::kFinished) return false;
  return !(level.ttft && times.first - request.arrival > *level.ttft) &&
         !(level.tpot && TimePerToken(request, times) > *level.tpot) &&
         !(level.e2el && times.last - request.arrival > *level.e2el);
}

std::int64_t CountGood(const ServingRequests& requests, const std::vector<RequestTimes>& times,
                       const ServiceLevel& level) {
  std::int64_t good = 0;
  for (std::size_t i = 0; i < requests.size(); ++i)
    good += KeepsLevel(requests[i], times[i], level) ? 1 : 0;
  return good;
}

}  // namespace heddle
