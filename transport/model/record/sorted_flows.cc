// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/sorted_flows.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

FlowId FlowOf(std::uint64_t packed) {
  return {NodeId(static_cast<std::uint32_t>(packed >> 32)), static_cast<std::uint32_t>(packed)};
}

bool ComesFirst(const FlowLists& a, const FlowLists& b) {
  const std::vector<FlowRecord>&mine = *a.flows, &theirs = *b.flows;
  if (mine.empty() || theirs.empty()) return mine.size() > theirs.size();
  return mine.front().flow.source < theirs.front().flow.source;
}

/// Prefetches some of the next records. They are read here in the order of the memory, of which
/// the processor would fetch the lines with the numbers only, and afterwards in that of the rows.
void FetchBehind(const FlowRecord& record) {
  constexpr std::ptrdiff_t kAhead = 8;  ///< records
  const char* at = reinterpret_cast<const char*>(&record) + kAhead * sizeof record;
  __builtin_prefetch(at);
  __builtin_prefetch(at + sizeof record / 2);
}

}  // namespace

SortedFlows::SortedFlows(std::vector<FlowLists> lists, std::size_t block_rows)
    : lists_(std::move(lists)), block_rows_(block_rows) {
  std::stable_sort(lists_.begin(), lists_.end(), ComesFirst);
  SortArrivals();
}

void SortedFlows::SortArrivals() {
  std::size_t count = 0;
  for (const FlowLists& list : lists_) count += list.arrivals->size();
  arrivals_.reserve(count);
  for (const FlowLists& list : lists_) {
    for (const FlowArrival& arrival : *list.arrivals)
      arrivals_.push_back({arrival.flow.packed(), arrival.time});
  }
  SortByWord(&arrivals_);
}

void SortedFlows::FillBatch() {
  batch_.clear();
  next_flow_ = 0;
  while (next_list_ < lists_.size() && batch_.size() < block_rows_) {
    for (const FlowRecord& record : *lists_[next_list_++].flows) {
      FetchBehind(record);
      batch_.push_back({record.flow.packed(), &record});
    }
  }
  if (batch_.empty()) return;
  SortByWord(&batch_);
  next_arrival_ = static_cast<std::size_t>(
      std::lower_bound(arrivals_.begin(), arrivals_.end(), batch_.front().word,
                       [](const Worded<Time>& a, std::uint64_t word) { return a.word < word; }) -
      arrivals_.begin());
}

bool SortedFlows::Next(FlowRecords* block) {
  block->Clear();
  if (ended_) return false;
  if (next_flow_ == batch_.size()) FillBatch();
  const std::size_t end = std::min(next_flow_ + block_rows_, batch_.size());
  for (; next_flow_ < end; ++next_flow_) {
    const FlowRecord& flow = *batch_[next_flow_].value;
    block->flows.push_back(flow);
    const Time arrival = TakeArrivals(batch_[next_flow_].word);
    block->received.push_back(arrival.ps < 0 ? arrival : arrival - flow.start);
  }
  ended_ = block->flows.empty();
  if (!ended_) return true;
  for (const Worded<Time>& arrival : arrivals_) {
    if (arrival.value.ps >= 0) block->arrivals.push_back({FlowOf(arrival.word), arrival.value});
  }
  return true;
}

Time SortedFlows::TakeArrivals(std::uint64_t flow) {
  while (next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].word < flow) ++next_arrival_;
  Time earliest{-1};
  for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].word == flow;
       ++next_arrival_) {
    const Time time = std::exchange(arrivals_[next_arrival_].value, Time{-1});
    if (earliest.ps < 0 || (time.ps >= 0 && time < earliest)) earliest = time;
  }
  return earliest;
}

}  // namespace heddle
