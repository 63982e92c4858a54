// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/flow_ledger.h"

#include <algorithm>
#include <utility>

namespace heddle {

void PauseCauses::Add(NodeId node, PortId port, std::uint32_t depth, Time length) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node.value) << 32) | port.value;
  std::uint32_t at = index_.Find(key);
  if (at == FlatMap::kNone) {
    at = static_cast<std::uint32_t>(records_.size());
    records_.push_back({node, port, 0, Time{0}, 0});
    index_.Insert(key, at);
  }
  PauseCauseRecord& record = records_[at];
  ++record.pauses;
  record.paused += length;
  record.longest_chain = std::max(record.longest_chain, depth);
}

void PauseCauses::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kRecords, MemoryOf(records_));
  account->Add(Structure::kDomains, index_.memory());
}

void PauseCauses::Check(std::uint32_t nodes) const {
  for (const PauseCauseRecord& cause : records_)
    ExpectState(cause.node.value < nodes, "a pause from nowhere");
  index_.ForEach([&](std::uint64_t, std::uint32_t at) {
    ExpectState(at < records_.size(), "a pause from nowhere");
  });
}

void FlowLedger::AddFlow(const FlowRecord& flow) {
  digest_ += DigestOf(flow);
  const bool finished = flow.state == FlowState::kFinished;
  if (finished) statistics_.Add(flow);
  if (!finished || sample_->Keeps(flow.flow)) finished_.push_back(flow);
}

void FlowLedger::AddArrival(const FlowArrival& arrival) {
  digest_ += DigestOf(arrival);
  if (sample_->Keeps(arrival.flow)) arrivals_.push_back(arrival);
}

void FlowLedger::AddDrop(NodeId node, PortId port, DropReason reason) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node.value) << 32) | (port.value << 2) |
                            static_cast<unsigned>(reason);
  std::uint32_t at = drop_index_.Find(key);
  if (at == FlatMap::kNone) {
    at = static_cast<std::uint32_t>(drops_.size());
    drops_.push_back({node, port, reason, 0});
    drop_index_.Insert(key, at);
  }
  ++drops_[at].packets;
}

void FlowLedger::Drop() {
  finished_.clear();
  arrivals_.clear();
}

void FlowLedger::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kStatistics, statistics_.memory());
  account->Add(Structure::kRecords,
               MemoryReached(finished_) + MemoryReached(arrivals_) + MemoryOf(drops_));
  account->Add(Structure::kDomains, drop_index_.memory());
  pause_causes_.AddMemory(account);
}

void FlowLedger::CheckIndices(std::uint32_t nodes) const {
  for (const FlowArrival& arrival : arrivals_)
    ExpectState(arrival.flow.source.value < nodes, "a flow that came from nowhere");
  drop_index_.ForEach(
      [&](std::uint64_t, std::uint32_t at) { ExpectState(at < drops_.size(), "losses nowhere"); });
  pause_causes_.Check(nodes);
}

}  // namespace heddle
