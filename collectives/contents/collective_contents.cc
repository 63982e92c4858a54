// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/collective_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "collectives/contents/message_ranges.h"
#include "collectives/schedule/pieces.h"
#include "core/base/check.h"
#include "core/traffic/flow_agent.h"

namespace heddle {
namespace {

/// Elements of a GPU's own numbers, for buffers of so many bytes and any shift.
std::int64_t OwnElements(std::int64_t bytes) {
  return bytes / FloatPattern::kElement + 2 + FloatPattern::kPeriod;
}

void Copy(char* to, const char* from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

std::int64_t CollectiveContents::LargestOf(std::uint32_t job) const {
  std::int64_t largest = FloatPattern::kElement;
  for (const ProgramOp& op : jobs_[job]->job().program.ops)
    largest = std::max(largest, op.spec.bytes);
  return largest + static_cast<std::int64_t>(jobs_[job]->job().gpus.size());  // ResultBytes()
}

std::size_t CollectiveContents::NeededMemory() const {
  std::size_t sum = 0;
  for (const Gpu& gpu : gpus_) {
    const std::int64_t largest = LargestOf(gpu.job);
    // Its own, and results as powers of two.
    sum += static_cast<std::size_t>(OwnElements(largest) * FloatPattern::kElement + 2 * largest);
  }
  return sum;
}

void CollectiveContents::Prepare() {
  for (Gpu& gpu : gpus_) {
    const std::int64_t largest = LargestOf(gpu.job);
    const std::int64_t elements = OwnElements(largest);
    gpu.own = BufferPool::Allocate(static_cast<std::size_t>(elements * FloatPattern::kElement));
    FloatPattern(gpu.node).Fill(reinterpret_cast<float*>(gpu.own.get()), elements);
    BufferPool::Block result = pool_.Take(largest);
    std::memset(result.get(), 0, static_cast<std::size_t>(largest));  // its pages exist
    pool_.Return(std::move(result), largest);
  }
}

const float* CollectiveContents::OwnOf(NodeId node) const {
  const auto at =
      std::find_if(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) { return gpu.node == node; });
  HEDDLE_INVARIANT(at != gpus_.end(), fmt::format("GPU {} is not played here", node.value));
  return reinterpret_cast<const float*>(at->own.get());
}

CollectiveContents::Parts::iterator CollectiveContents::PartOf(const MessageName& name,
                                                               Participant me) {
  const Key key{name.job, name.operation, name.group, me};
  const auto found = parts_.find(key);
  if (found != parts_.end()) return found;
  const PlannedCollective& collective = jobs_[name.job]->Collective(name.operation, name.group);
  const GroupShape& shape = *collective.shape;
  const float* own =
      !shape.is_rank(me) ? nullptr : OwnOf(shape.node(me)) + FloatPattern::ShiftOf(name.operation);
  const std::int64_t bytes = ResultBytes(collective.spec, shape, me);
  PartBuffer buffer(reinterpret_cast<const char*>(own),
                    pool_.Take(std::max<std::int64_t>(bytes, 1)), bytes);
  return parts_
      .emplace(key,
               Part{&collective, std::move(buffer), collective.schedule->CountsOf(me), nullptr})
      .first;
}

PartBuffer* CollectiveContents::BufferOf(const MessageName& name, Participant me, Part* part) {
  const bool staged =
      part->collective->shape->is_rank(me) && part->collective->schedule->IsStaged(name.flow());
  if (!staged) return &part->buffer;
  if (part->staged == nullptr) {
    const std::int64_t bytes = part->buffer.bytes();
    part->staged =
        std::make_unique<PartBuffer>(nullptr, pool_.Take(std::max<std::int64_t>(bytes, 1)), bytes);
  }
  return part->staged.get();
}

OutgoingBytes CollectiveContents::Outgoing(const FlowCookie& cookie, const MessageSlice& slice,
                                           std::int64_t size) {
  const MessageName name = cookie.As<MessageName>();
  Part& part = PartOf(name, name.source)->second;
  if (auto parts = relayed_.Take(name); !parts.empty()) {
    BufferPool::Block copy = Gather(name, slice, size, std::move(parts), part);
    return {copy.get(), std::move(copy)};
  }
  const bool two = HasTwoBuffers(part.collective->spec.operation);
  PartBuffer& buffer = *BufferOf(name, name.source, &part);
  const std::vector<ByteRange> ranges = RangesOf(*part.collective->schedule, name, slice);
  if (ranges.size() > 1) {
    BufferPool::Block copy = pool_.Take(size);
    GatherRanges(ranges, &buffer, copy.get());
    return {copy.get(), std::move(copy)};
  }
  const char* bytes = two ? buffer.own() + slice.offset : buffer.Read(slice.offset, slice.bytes);
  if (size == slice.bytes) {
    if (!two) buffer.Reading(slice.offset, slice.bytes);
    return {bytes, nullptr};
  }
  BufferPool::Block copy = pool_.Take(size);
  Copy(copy.get(), bytes, slice.bytes);
  return {copy.get(), std::move(copy)};
}

BufferPool::Block CollectiveContents::Gather(const MessageName& name, const MessageSlice& slice,
                                             std::int64_t size,
                                             std::map<Participant, std::vector<char>> parts,
                                             const Part& part) {
  std::int64_t kept = 0;
  for (const auto& [from, bytes] : parts) kept += static_cast<std::int64_t>(bytes.size());
  if (kept < slice.bytes) {
    const char* own = part.buffer.own() + slice.offset;
    parts.emplace(name.source, std::vector<char>(own, own + (slice.bytes - kept)));
  }
  BufferPool::Block copy = pool_.Take(size);
  char* to = copy.get();
  for (const auto& [from, bytes] : parts) {
    Copy(to, bytes.data(), static_cast<std::int64_t>(bytes.size()));
    to += bytes.size();
  }
  HEDDLE_INVARIANT(to - copy.get() == slice.bytes, "a relayed message has lost a part");
  return copy;
}

void CollectiveContents::Left(const FlowCookie& cookie, const MessageSlice& slice,
                              std::int64_t size, OutgoingBytes sent) {
  const MessageName name = cookie.As<MessageName>();
  const auto at = PartOf(name, name.source);
  Part& part = at->second;
  if (sent.copy) {
    pool_.Return(std::move(sent.copy), size);
  } else if (!HasTwoBuffers(part.collective->spec.operation)) {
    BufferOf(name, name.source, &part)->Done(slice.offset, slice.bytes);
  }
  HEDDLE_INVARIANT(part.left.sends > 0, "a participant sends more than its schedule has");
  --part.left.sends;
  FinishIfDone(name, at);
}

std::int64_t CollectiveContents::PlaceOfSlice(const Part& part, Participant me, Participant from) {
  const CollectiveSpec& spec = part.collective->spec;
  return from * heddle::PartOf({0, spec.bytes}, part.collective->shape->ranks(), me).bytes;
}

char* CollectiveContents::Incoming(const FlowCookie& cookie, const MessageSlice& slice,
                                   std::int64_t size) {
  const MessageName name = cookie.As<MessageName>();
  Part& part = PartOf(name, name.destination)->second;
  if (slice.reduces || size != slice.bytes) return nullptr;
  if (part.collective->spec.operation == Operation::kAllToAll) {
    if (name.connection() != Connection::kDirect) return nullptr;
    return part.buffer.PlaceOf(PlaceOfSlice(part, name.destination, name.source), size);
  }
  const Schedule& schedule = *part.collective->schedule;
  if (RelayedMessages::IsRelayed(schedule, name.flow())) return nullptr;
  if (RangesOf(schedule, name, slice).size() > 1) return nullptr;
  return BufferOf(name, name.destination, &part)->PlaceOf(slice.offset, size);
}

void CollectiveContents::Arrived(const FlowCookie& cookie, const MessageSlice& slice,
                                 const char* payload, std::int64_t /*size*/) {
  const MessageName name = cookie.As<MessageName>();
  const auto at = PartOf(name, name.destination);
  Part& part = at->second;
  if (RelayedMessages::IsRelayed(*part.collective->schedule, name.flow())) {
    relayed_.Keep(name, payload, slice.bytes);
  } else if (part.collective->spec.operation == Operation::kAllToAll) {
    PutSlices(name, slice, payload, &part);
  } else {
    SpreadRanges(RangesOf(*part.collective->schedule, name, slice), slice.reduces, payload,
                 BufferOf(name, name.destination, &part));
  }
  HEDDLE_INVARIANT(part.left.receives > 0, "a participant receives more than its schedule has");
  --part.left.receives;
  FinishIfDone(name, at);
}

void CollectiveContents::PutSlices(const MessageName& name, const MessageSlice& slice,
                                   const char* payload, Part* part) {
  const GroupShape& shape = *part->collective->shape;
  const Participant me = name.destination;
  if (name.connection() == Connection::kDirect)
    return part->buffer.Put(PlaceOfSlice(*part, me, name.source), payload, slice.bytes);
  const std::uint32_t server = name.chunk / shape.ranks();
  const std::int64_t each = slice.bytes / shape.locals(server);
  for (std::uint32_t l = 0; l < shape.locals(server); ++l)
    part->buffer.Put(PlaceOfSlice(*part, me, shape.local(server, l)), payload + l * each, each);
}

void CollectiveContents::FinishIfDone(const MessageName& name, Parts::iterator at) {
  Part& part = at->second;
  if (part.left.sends > 0 || part.left.receives > 0) return;
  const Participant me = std::get<3>(at->first);
  const bool first = jobs_[name.job]->PassOf(name.operation) == 0;
  if (checks_ == ResultChecks::kAll || (checks_ == ResultChecks::kFirstPass && first))
    Check(name, me, &part);
  const std::int64_t bytes = std::max<std::int64_t>(part.buffer.bytes(), 1);
  pool_.Return(part.buffer.TakeResult(), bytes);
  if (part.staged) pool_.Return(part.staged->TakeResult(), bytes);
  parts_.erase(at);
}

void CollectiveContents::Check(const MessageName& name, Participant me, Part* part) {
  const GroupShape& shape = *part->collective->shape;
  if (!shape.is_rank(me)) return;
  ++checked_.results;
  const std::string fault = expected_.FindFault(part->collective->spec, shape, me, name.operation,
                                                &part->buffer, &checked_.bytes);
  if (fault.empty()) return;
  throw InvariantError(fmt::format("GPU {} has a wrong result of job {}, {}: {}",
                                   shape.node(me).value, name.job,
                                   jobs_[name.job]->NameOf(name.operation), fault));
}

}  // namespace heddle
