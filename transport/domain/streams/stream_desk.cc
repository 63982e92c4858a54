// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/streams/stream_desk.h"

#include <xxhash.h>

#include <algorithm>

#include "core/base/check.h"
#include "transport/domain/state/flow_starter.h"

namespace heddle {
namespace {

template <class Record>
std::uint32_t Allocate(std::vector<Record>* records, std::vector<std::uint32_t>* free) {
  if (free->empty()) {
    records->emplace_back();
    return static_cast<std::uint32_t>(records->size() - 1);
  }
  const std::uint32_t place = free->back();
  free->pop_back();
  return place;
}

/// Returns the order of a stream among those of one switch at one time: any order will do, but let
/// it be one.
std::uint32_t OrderOf(const StreamName& name) {
  const std::uint64_t words[] = {name.high, name.low};
  return EventOrder::NumberOf(XXH3_64bits(words, sizeof words));
}

}  // namespace

std::uint32_t StreamDesk::StreamOf(const StreamName& name, NodeId node) {
  const auto known = index_.find(name);
  if (known != index_.end()) return known->second;
  const std::uint32_t number = Allocate(&streams_, &free_streams_);
  streams_[number] = Stream();
  streams_[number].name = name;
  streams_[number].node = node;
  index_.emplace(name, number);
  return number;
}

std::uint32_t StreamDesk::AddInput(const StreamName& name, NodeId node) {
  const std::uint32_t number = StreamOf(name, node);
  HEDDLE_INVARIANT(streams_[number].size == 0, "a flow feeds a sum that is carried on already");
  const std::uint32_t input = Allocate(&inputs_, &free_inputs_);
  inputs_[input] = {number, 0};
  streams_[number].inputs.push_back(input);
  return input;
}

void StreamDesk::Advance(DomainState& state, std::uint32_t input, std::int64_t bytes) {
  Input& in = inputs_[input];
  const std::int64_t before = in.bytes;
  in.bytes = bytes;
  Stream& stream = streams_[in.stream];
  if (stream.size == 0 || before > stream.added || --stream.behind > 0) return;
  Add(&stream);
  if (LatencyOf(state, stream) == Time{0} && stream.sums.empty()) {
    Grow(state, in.stream, stream.added);
  } else {
    Schedule(state, in.stream);
  }
}

void StreamDesk::Add(Stream* stream) const {
  std::int64_t least = stream->size;
  for (const std::uint32_t input : stream->inputs) least = std::min(least, inputs_[input].bytes);
  stream->added = least;
  stream->behind = 0;
  for (const std::uint32_t input : stream->inputs) {
    if (inputs_[input].bytes <= least) ++stream->behind;
  }
}

void StreamDesk::Open(DomainState& state, const StreamName& name, std::uint32_t slot,
                      std::int64_t size) {
  const auto known = index_.find(name);
  HEDDLE_INVARIANT(known != index_.end(), "a flow carries on a sum that nothing feeds");
  Stream& stream = streams_[known->second];
  stream.outputs.push_back(slot);
  if (stream.size != 0) {
    HEDDLE_INVARIANT(stream.size == size, "flows of different sizes carry on one sum");
    return;
  }
  stream.size = size;
  Add(&stream);
  Schedule(state, known->second);  // an event, so that all that carry it on have started
}

Time StreamDesk::LatencyOf(const DomainState& state, const Stream& stream) {
  return stream.inputs.size() > 1 ? state.context().options.aggregation.latency : Time{0};
}

void StreamDesk::Schedule(DomainState& state, std::uint32_t stream) {
  Stream& of = streams_[stream];
  const Time at = state.now() + LatencyOf(state, of);
  of.sums.push_back({at, of.added});
  const EventOrder order(of.node, PortId(0), FabricEvent::kStreamSum, OrderOf(of.name));
  state.queue().Push({at, order.bits(), stream, 0});
}

void StreamDesk::Release(DomainState& state, std::uint32_t stream) {
  std::vector<Sum>& sums = streams_[stream].sums;
  const std::int64_t bytes = sums.front().bytes;
  sums.erase(sums.begin());
  Grow(state, stream, bytes);
}

void StreamDesk::Grow(DomainState& state, std::uint32_t stream, std::int64_t bytes) {
  const bool all = bytes == streams_[stream].size;
  const std::vector<std::uint32_t> outputs = streams_[stream].outputs;
  if (all) Free(stream);
  for (const std::uint32_t slot : outputs)
    state.parts().starter.GrowStream(state, slot, bytes, all);
}

void StreamDesk::Free(std::uint32_t stream) {
  Stream& of = streams_[stream];
  for (const std::uint32_t input : of.inputs) {
    inputs_[input] = Input();
    free_inputs_.push_back(input);
  }
  index_.erase(of.name);
  of = Stream();
  free_streams_.push_back(stream);
}

void StreamDesk::Abandon(std::uint32_t slot) {
  for (Stream& stream : streams_) {
    auto& outputs = stream.outputs;
    outputs.erase(std::remove(outputs.begin(), outputs.end(), slot), outputs.end());
  }
}

bool StreamDesk::Carries(std::uint32_t slot) const {
  return std::any_of(streams_.begin(), streams_.end(), [slot](const Stream& stream) {
    return std::count(stream.outputs.begin(), stream.outputs.end(), slot) > 0;
  });
}

bool StreamDesk::MayHaveEvent(std::uint32_t stream) const {
  return stream < streams_.size() && !streams_[stream].sums.empty();
}

void StreamDesk::Check(const DomainState& state, std::size_t slots) const {
  std::size_t used = 0;
  for (std::uint32_t number = 0; number < streams_.size(); ++number) {
    const Stream& stream = streams_[number];
    if (!stream.node.valid()) continue;
    ++used;
    ExpectState(state.FindNode(stream.node) != nullptr && !stream.inputs.empty() &&
                    stream.size >= 0 && stream.added >= 0 && stream.added <= stream.size,
                "a sum of nothing");
    for (const std::uint32_t input : stream.inputs) {
      ExpectState(input < inputs_.size() && inputs_[input].stream == number &&
                      inputs_[input].bytes >= stream.added,
                  "a sum of what has not come");
    }
    for (const std::uint32_t slot : stream.outputs)
      ExpectState(slot < slots, "a sum that is carried on by nothing");
    ExpectState((stream.size == 0) == stream.outputs.empty() || stream.size > 0,
                "a sum that is carried on before it begins");
  }
  ExpectState(used == index_.size() && used + free_streams_.size() == streams_.size(),
              "two sums of one name");
  for (const Input& input : inputs_) {
    ExpectState(input.stream == kNone ||
                    (input.stream < streams_.size() && streams_[input.stream].node.valid()),
                "a flow that feeds no sum");
  }
}

void StreamDesk::Index() {
  index_.clear();
  for (std::uint32_t number = 0; number < streams_.size(); ++number) {
    if (streams_[number].node.valid()) index_.emplace(streams_[number].name, number);
  }
}

std::size_t StreamDesk::memory() const {
  std::size_t sum = MemoryOf(inputs_) + MemoryOf(streams_) + MemoryOf(free_inputs_) +
                    MemoryOf(free_streams_) + MemoryOfTree(index_);
  for (const Stream& stream : streams_)
    sum += MemoryOf(stream.inputs) + MemoryOf(stream.outputs) + MemoryOf(stream.sums);
  return sum;
}

}  // namespace heddle
