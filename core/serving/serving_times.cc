// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_times.h"

namespace heddle {
namespace {

/// The part of the instance that a request comes to.
void AddEntry(const ServingRecord& record, bool sees_token, RequestTimes* times) {
  times->entry = record.instance;
  times->begun = record.begun;
  times->computed = record.computed;
  times->sending = record.sending;
  times->cached = record.cached;
  if (sees_token) times->first = record.first;
  if (sees_token && times->last < record.last) times->last = record.last;
}

void AddDecoder(const ServingRecord& record, RequestTimes* times) {
  times->decoder = record.instance;
  times->granted = record.granted;
  times->arrived = record.arrived;
}

}  // namespace

std::vector<RequestTimes> JoinRecords(const ServingPlan& plan, const ServingRequests& requests,
                                      const std::vector<ServingRecord>& records, TokenGaps* gaps) {
  std::vector<RequestTimes> all(requests.size());
  std::vector<Time> first_decoded(requests.size(), ServingRecord::kNever);
  const bool passed_on = plan.first_token == FirstToken::kPrefill;
  for (const ServingRecord& record : records) {
    RequestTimes& times = all[record.request];
    const InstanceRole role = plan.instances[record.instance].role;
    times.preempted += record.preempted;
    if (record.rejected) times.state = RequestState::kRejected;
    if (role != InstanceRole::kDecode)
      AddEntry(record, passed_on || role == InstanceRole::kMixed, &times);
    if (role != InstanceRole::kPrefill) AddDecoder(record, &times);
    if (role == InstanceRole::kDecode) times.unsent = record.cached;
    if (role != InstanceRole::kPrefill || passed_on) times.tokens += record.tokens;
    if (role != InstanceRole::kDecode) continue;
    first_decoded[record.request] = record.first;
    if (!passed_on) times.first = record.first;
    if (times.last < record.last) times.last = record.last;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].state == RequestState::kOpen && all[i].tokens == requests[i].output)
      all[i].state = RequestState::kFinished;
    if (passed_on && first_decoded[i] > Time{} && all[i].first > Time{})
      ++(*gaps)[(first_decoded[i] - all[i].first).ps];
  }
  return all;
}

}  // namespace heddle
