// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/trees/all_reduce_trees.h"

#include <algorithm>
#include <utility>

#include "collectives/schedule/pieces.h"

namespace heddle {

AllReduceTrees::AllReduceTrees(std::unique_ptr<SpanningTrees> trees, std::int64_t bytes,
                               std::uint32_t pieces, std::uint32_t in_flight)
    : trees_(std::move(trees)),
      bytes_(bytes),
      pieces_(pieces),
      in_flight_(in_flight),
      edges_(trees_->shape().participants()) {
  std::uint64_t ends = 0;
  for (Participant p = 0; p < edges_.size(); ++p) {
    for (std::uint32_t channel = 0; channel < trees_->channels(); ++channel) {
      if (trees_->Contains(channel, p)) edges_[p] += trees_->Degree(channel, p);
    }
    ends += edges_[p];
  }
  flow_count_ = ends * pieces_;  // every edge has two ends and carries a piece twice
}

GroupFlow AllReduceTrees::Make(std::uint32_t channel, std::uint32_t piece, Participant source,
                               Participant destination) const {
  const ByteRange range = PartOf(PartOf({0, bytes_}, trees_->channels(), channel), pieces_, piece);
  const Participant above = trees_->Parent(channel, source);
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = piece;
  flow.channel = static_cast<std::uint16_t>(channel);
  flow.connection = trees_->ConnectionOf(channel, source, destination);
  flow.reduces = above == destination;
  const bool sends_sum =
      flow.reduces ? trees_->ChildCount(channel, source) > 0 : above == GroupShape::kNone;
  flow.reduced = sends_sum && trees_->shape().is_rank(source);  // NVSwitches reduce in transit
  flow.offset = range.offset;
  flow.bytes = range.bytes;
  return flow;
}

/// A piece crosses every edge once up and once down.
FlowCounts AllReduceTrees::CountsOf(Participant p) const {
  const std::uint64_t pieces = std::uint64_t{edges_[p]} * pieces_;
  return {pieces, pieces};
}

void AllReduceTrees::SendDown(std::uint32_t channel, std::uint32_t piece, Participant p,
                              std::vector<GroupFlow>* out) const {
  const std::uint32_t count = trees_->ChildCount(channel, p);
  for (std::uint32_t i = 0; i < count; ++i)
    out->push_back(Make(channel, piece, p, trees_->Child(channel, p, i)));
}

void AllReduceTrees::Begin(Participant p, std::vector<GroupFlow>* out) const {
  for (std::uint32_t channel = 0; channel < trees_->channels(); ++channel) {
    if (!trees_->Contains(channel, p) || trees_->ChildCount(channel, p) > 0) continue;
    const Participant above = trees_->Parent(channel, p);
    for (std::uint32_t piece = 0; piece < std::min(in_flight_, pieces_); ++piece)
      out->push_back(Make(channel, piece, p, above));
  }
}

void AllReduceTrees::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Participant p = arrived.destination, above = trees_->Parent(arrived.channel, p);
  if (IsUp(arrived) && above != GroupShape::kNone) {
    children->push_back(Make(arrived.channel, arrived.chunk, p, above));
  } else {
    SendDown(arrived.channel, arrived.chunk, p, children);
  }
}

std::uint32_t AllReduceTrees::ParentCount(const GroupFlow& flow) const {
  const bool from_below =
      IsUp(flow) || trees_->Parent(flow.channel, flow.source) == GroupShape::kNone;
  return from_below ? trees_->ChildCount(flow.channel, flow.source) : 1;
}

void AllReduceTrees::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Participant p = flow.source, above = trees_->Parent(flow.channel, p);
  if (!IsUp(flow) && above != GroupShape::kNone) {
    parents->push_back(Make(flow.channel, flow.chunk, above, p));
    return;
  }
  const std::uint32_t count = trees_->ChildCount(flow.channel, p);
  for (std::uint32_t i = 0; i < count; ++i) {
    parents->push_back(Make(flow.channel, flow.chunk, trees_->Child(flow.channel, p, i), p));
  }
}

void AllReduceTrees::AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
  if (!IsFirst(sent) || pieces_ - sent.chunk <= in_flight_) return;
  next->push_back(Make(sent.channel, sent.chunk + in_flight_, sent.source, sent.destination));
}

void AllReduceTrees::Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
  if (!IsFirst(flow) || flow.chunk < in_flight_) return;
  earlier->push_back(Make(flow.channel, flow.chunk - in_flight_, flow.source, flow.destination));
}

void AllReduceTrees::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (std::uint32_t channel = 0; channel < trees_->channels(); ++channel) {
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      for (Participant p = 0; p < edges_.size(); ++p) {
        if (!trees_->Contains(channel, p)) continue;
        flows.clear();
        const Participant above = trees_->Parent(channel, p);
        if (above != GroupShape::kNone) flows.push_back(Make(channel, piece, p, above));
        SendDown(channel, piece, p, &flows);
        for (const GroupFlow& flow : flows) visit(flow);
      }
    }
  }
}

void AllReduceTrees::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  for (std::uint32_t channel = 0; channel < trees_->channels(); ++channel) {
    const std::int64_t share = PartOf({0, bytes_}, trees_->channels(), channel).bytes;
    const auto large = static_cast<std::uint64_t>(share % pieces_);
    for (Participant p = 0; p < edges_.size(); ++p) {
      if (!trees_->Contains(channel, p)) continue;
      const Participant above = trees_->Parent(channel, p);
      if (above == GroupShape::kNone) continue;
      for (const auto& [from, to] : {std::pair{p, above}, std::pair{above, p}}) {
        visit({from, to, share / pieces_, pieces_ - large, static_cast<std::uint16_t>(channel)});
        visit({from, to, share / pieces_ + 1, large, static_cast<std::uint16_t>(channel)});
      }
    }
  }
}

}  // namespace heddle
