// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/collectives/algorithms/symbolic_buffers.h"

#include <algorithm>

namespace heddle {
namespace {

std::string Text(const Contributions& contributions) {
  std::string text = "{";
  for (std::uint32_t r = 0; r < kMaxSymbolicRanks; ++r) {
    if (contributions[r]) text += (text.size() > 1 ? " " : "") + std::to_string(r);
  }
  return text + "}";
}

Contributions One(std::uint32_t rank) { return Contributions().set(rank); }

Contributions All(std::uint32_t ranks) {
  Contributions all;
  for (std::uint32_t r = 0; r < ranks; ++r) all.set(r);
  return all;
}

}  // namespace

SymbolicBuffers::SymbolicBuffers(const Schedule& schedule, const CollectiveSpec& spec,
                                 const GroupShape& shape, const std::vector<GroupFlow>& flows)
    : schedule_(&schedule), spec_(spec), ranks_(shape.ranks()) {
  for (std::uint32_t part = 0; part <= ranks_; ++part) cuts_.push_back(part_begin(part));
  for (const GroupFlow& flow : flows) {
    schedule.ForEachRange(flow, [&](const ByteRange& range) {
      cuts_.push_back(range.offset);
      // A gathering message of an AllToAll carries a slice several times.
      if (spec.operation != Operation::kAllToAll) cuts_.push_back(range.offset + range.bytes);
    });
  }
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
  sent_.assign(shape.participants(), Buffer(cuts_.size() - 1));
  got_ = sent_;
  FillAtStart();
}

bool SymbolicBuffers::two_buffers() const {
  return spec_.operation == Operation::kAllToAll || spec_.operation == Operation::kSendRecv;
}

std::int64_t SymbolicBuffers::part_begin(std::uint32_t part) const {
  return spec_.bytes * part / ranks_;
}

std::size_t SymbolicBuffers::IntervalAt(std::int64_t offset) const {
  return static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), offset) -
                                  cuts_.begin());
}

void SymbolicBuffers::FillAtStart() {
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    if (spec_.operation == Operation::kBroadcast && r != spec_.root) continue;
    const bool part_only = spec_.operation == Operation::kAllGather;
    const std::size_t begin = part_only ? IntervalAt(part_begin(r)) : 0;
    const std::size_t end = part_only ? IntervalAt(part_begin(r + 1)) : cuts_.size() - 1;
    for (std::size_t i = begin; i < end; ++i) (two_buffers() ? sent_ : got_)[r][i] = One(r);
  }
}

SymbolicBuffers::Buffer& SymbolicBuffers::BufferOf(const GroupFlow& flow, Participant p) {
  if (p >= ranks_ || !schedule_->IsStaged(flow)) return got_[p];
  return staged_.try_emplace({p, flow.channel, flow.chunk}, cuts_.size() - 1).first->second;
}

SymbolicData SymbolicBuffers::Read(const GroupFlow& flow) {
  SymbolicData data;
  const Buffer& buffer = two_buffers() ? sent_[flow.source] : BufferOf(flow, flow.source);
  schedule_->ForEachRange(flow, [&](const ByteRange& range) {
    if (range.bytes == 0) return;
    std::int64_t end = range.offset + range.bytes;
    if (spec_.operation == Operation::kAllToAll) {  // one slice, whatever its number of copies
      std::uint32_t part = 0;
      while (part + 1 < ranks_ && part_begin(part + 1) <= range.offset) ++part;
      end = std::min(end, part_begin(part + 1));
    }
    for (std::size_t i = IntervalAt(range.offset); i < IntervalAt(end); ++i) {
      data.intervals.push_back(i);
      data.content.push_back(buffer[i]);
    }
  });
  return data;
}

std::int64_t SymbolicBuffers::BytesOf(const SymbolicData& data) const {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < data.content.size(); ++i) {
    const auto copies = spec_.operation == Operation::kAllToAll
                            ? static_cast<std::int64_t>(data.content[i].count())
                            : 1;
    bytes += copies * (cuts_[data.intervals[i] + 1] - cuts_[data.intervals[i]]);
  }
  return bytes;
}

std::string SymbolicBuffers::Write(const GroupFlow& flow, const SymbolicData& data) {
  const bool adds = flow.reduces || two_buffers();
  Buffer& buffer = BufferOf(flow, flow.destination);
  for (std::size_t i = 0; i < data.content.size(); ++i) {
    Contributions& here = buffer[data.intervals[i]];
    if (data.content[i].none()) return "carries bytes that its source does not have";
    if (adds && (here & data.content[i]).any()) {
      return "adds " + Text(data.content[i]) + " to " + Text(here) + ": twice the same";
    }
    here = adds ? here | data.content[i] : data.content[i];
  }
  return "";
}

std::string SymbolicBuffers::Gather(const SymbolicData& more, SymbolicData* data) {
  if (data->content.empty()) *data = more;
  if (more.intervals != data->intervals) return "gathers different ranges";
  for (std::size_t i = 0; i < more.content.size(); ++i) data->content[i] |= more.content[i];
  return "";
}

Contributions SymbolicBuffers::Expected(Participant rank, std::uint32_t part) const {
  switch (spec_.operation) {
    case Operation::kAllReduce:
      return All(ranks_);
    case Operation::kReduceScatter:
      return part == rank ? All(ranks_) : Contributions();
    case Operation::kReduce:
      return rank == spec_.root ? All(ranks_) : Contributions();
    case Operation::kAllGather:
      return One(part);
    case Operation::kBroadcast:
      return One(spec_.root);
    case Operation::kAllToAll:
      return part == rank ? All(ranks_).reset(rank) : Contributions();
    case Operation::kSendRecv:
      if (spec_.peer == GroupShape::kNone) return One((rank + ranks_ - 1) % ranks_);
      return rank == spec_.peer ? One(spec_.root) : Contributions();
    case Operation::kNone:
      break;
  }
  return {};
}

std::string SymbolicBuffers::CheckEnd() const {
  for (Participant r = 0; r < ranks_; ++r) {
    for (std::uint32_t part = 0; part < ranks_; ++part) {
      const Contributions expected = Expected(r, part);
      if (expected.none()) continue;
      for (std::size_t i = IntervalAt(part_begin(part)); i < IntervalAt(part_begin(part + 1));
           ++i) {
        if (got_[r][i] == expected) continue;
        return "rank " + std::to_string(r) + " ends with " + Text(got_[r][i]) + " in bytes " +
               std::to_string(cuts_[i]) + " to " + std::to_string(cuts_[i + 1]) + ", expected " +
               Text(expected);
      }
    }
  }
  return "";
}

}  // namespace heddle
