// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/trees/gather_scatter_trees.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// A piece of a rank's slice, decoded from the chunk's number.
struct Part {
  std::uint32_t channel = 0;
  std::uint32_t chunk = 0;
  Participant owner = 0;
};

/// Code shared by AllGather and ReduceScatter.
class PartTrees : public Schedule {
 public:
  PartTrees(std::unique_ptr<SpanningTrees> trees, std::int64_t bytes, std::uint32_t pieces,
            std::uint32_t in_flight)
      : trees_(std::move(trees)),
        bytes_(bytes),
        pieces_(pieces),
        in_flight_(in_flight),
        arrivals_(shape().participants()),
        forwards_(shape().participants()) {
    CountPartsOfEach();
  }

  std::uint64_t flow_count() const override { return flow_count_; }
  std::uint32_t channels() const final { return trees_->channels(); }
  std::uint32_t chunk_count() const override { return pieces_ * ranks(); }
  void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const override {
    if (ParentCount(sent) > 0 || pieces_ - sent.chunk / ranks() <= in_flight_) return;
    next->push_back(Make(PartAt(sent.chunk + in_flight_ * ranks()), sent.source, sent.destination));
  }
  void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const override {
    if (ParentCount(flow) > 0 || flow.chunk / ranks() < in_flight_) return;
    earlier->push_back(
        Make(PartAt(flow.chunk - in_flight_ * ranks()), flow.source, flow.destination));
  }
  void ForEach(const std::function<void(const GroupFlow&)>& visit) const override;
  void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const override;
  std::size_t memory() const override {
    return sizeof(*this) + (arrivals_.capacity() + forwards_.capacity()) * sizeof(std::uint32_t);
  }

 protected:
  const SpanningTrees& trees() const { return *trees_; }
  const GroupShape& shape() const { return trees_->shape(); }
  std::uint32_t ranks() const { return shape().ranks(); }
  Part PartAt(std::uint32_t chunk) const {
    const Participant owner = chunk % ranks();
    return {shape().local_of(owner) % channels(), chunk, owner};
  }
  /// Pieces that an origin sends at once.
  std::uint32_t first_pieces() const { return std::min(in_flight_, pieces_); }
  std::uint64_t pieces() const { return pieces_; }
  /// For one piece of an AllGather: slices that reach a participant, and messages that it sends.
  std::uint64_t arrivals(Participant p) const { return arrivals_[p]; }
  std::uint64_t forwards(Participant p) const { return forwards_[p]; }

  /// The message that carries this slice over this edge of its tree.
  GroupFlow Make(const Part& part, Participant source, Participant destination) const;
  /// Appends what a participant sends of a slice in the whole collective.
  virtual void SendsOf(const Part& part, Participant p, std::vector<GroupFlow>* out) const = 0;
  /// Whether slices go from their owners to all others (AllGather), not towards their owners.
  virtual bool gathers() const = 0;
  /// Sets GroupFlow::reduces and reduced.
  virtual void MarkReductions(GroupFlow* flow) const = 0;

 private:
  /// How many of a channel's owners are at or below each participant: those with slices of
  /// floor(bytes / ranks) bytes, and those with one byte more.
  struct OwnersBelow {
    std::uint64_t small = 0, large = 0;
  };
  std::vector<OwnersBelow> CountOwnersBelow(std::uint32_t channel) const;
  void CountPartsOfEach();

  std::unique_ptr<SpanningTrees> trees_;
  std::int64_t bytes_;
  std::uint32_t pieces_, in_flight_;
  std::uint64_t flow_count_ = 0;
  std::vector<std::uint32_t> arrivals_, forwards_;  ///< by participant
};

void PartTrees::CountPartsOfEach() {
  std::vector<std::uint32_t> parts(channels());
  for (Participant owner = 0; owner < ranks(); ++owner) ++parts[PartAt(owner).channel];
  for (Participant p = 0; p < shape().participants(); ++p) {
    for (std::uint32_t channel = 0; channel < channels(); ++channel) {
      if (!trees_->Contains(channel, p)) continue;
      const std::uint32_t own = p < ranks() && PartAt(p).channel == channel ? 1 : 0,
                          degree = trees_->Degree(channel, p);
      arrivals_[p] += parts[channel] - own;
      forwards_[p] += (parts[channel] - own) * (degree - 1) + own * degree;
    }
    flow_count_ += std::uint64_t{arrivals_[p]} * pieces_;
  }
}

GroupFlow PartTrees::Make(const Part& part, Participant source, Participant destination) const {
  const ByteRange range =
      PartOf(PartOf({0, bytes_}, ranks(), part.owner), pieces_, part.chunk / ranks());
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = part.chunk;
  flow.channel = static_cast<std::uint16_t>(part.channel);
  flow.connection = trees_->ConnectionOf(part.channel, source, destination);
  flow.offset = range.offset;
  flow.bytes = range.bytes;
  MarkReductions(&flow);
  return flow;
}

void PartTrees::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (std::uint32_t channel = 0; channel < channels(); ++channel) {
    for (std::uint32_t chunk = 0; chunk < chunk_count(); ++chunk) {
      const Part part = PartAt(chunk);
      if (part.channel != channel) continue;
      for (Participant p = 0; p < shape().participants(); ++p) {
        if (!trees_->Contains(channel, p)) continue;
        flows.clear();
        SendsOf(part, p, &flows);
        for (const GroupFlow& flow : flows) visit(flow);
      }
    }
  }
}

std::vector<PartTrees::OwnersBelow> PartTrees::CountOwnersBelow(std::uint32_t channel) const {
  std::vector<OwnersBelow> below(shape().participants());
  for (Participant owner = 0; owner < ranks(); ++owner) {
    if (PartAt(owner).channel != channel) continue;
    const bool large = PartOf({0, bytes_}, ranks(), owner).bytes > bytes_ / ranks();
    for (Participant p = owner; p != GroupShape::kNone; p = trees_->Parent(channel, p))
      ++(large ? below[p].large : below[p].small);
  }
  return below;
}

void PartTrees::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  std::uint16_t channel_now = 0;
  const auto visit_parts = [&](Participant from, Participant to, std::int64_t part,
                               std::uint64_t parts) {
    const auto large = static_cast<std::uint64_t>(part % pieces_);
    visit({from, to, part / pieces_, parts * (pieces_ - large), channel_now});
    visit({from, to, part / pieces_ + 1, parts * large, channel_now});
  };
  const std::int64_t slice = bytes_ / ranks();
  for (std::uint32_t channel = 0; channel < channels(); ++channel) {
    channel_now = static_cast<std::uint16_t>(channel);
    const std::vector<OwnersBelow> below = CountOwnersBelow(channel);
    OwnersBelow all;
    for (Participant p = 0; p < shape().participants(); ++p) {
      if (trees_->Contains(channel, p) && trees_->Parent(channel, p) == GroupShape::kNone)
        all = below[p];
    }
    for (Participant p = 0; p < shape().participants(); ++p) {
      if (!trees_->Contains(channel, p) || trees_->Parent(channel, p) == GroupShape::kNone)
        continue;
      // Over the edge to its parent: gathered slices go away from their owners, slices to be
      // reduced towards them.
      Participant from = p, to = trees_->Parent(channel, p);
      if (!gathers()) std::swap(from, to);
      visit_parts(from, to, slice, below[p].small);
      visit_parts(from, to, slice + 1, below[p].large);
      visit_parts(to, from, slice, all.small - below[p].small);
      visit_parts(to, from, slice + 1, all.large - below[p].large);
    }
  }
}

class AllGatherTrees final : public PartTrees {
 public:
  using PartTrees::PartTrees;

  FlowCounts CountsOf(Participant p) const override {
    return {forwards(p) * pieces(), arrivals(p) * pieces()};
  }

  void Begin(Participant p, std::vector<GroupFlow>* out) const override {
    if (!shape().is_rank(p)) return;
    for (std::uint32_t piece = 0; piece < first_pieces(); ++piece)
      SendsOf(PartAt(piece * ranks() + p), p, out);
  }

  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override {
    SendsOf(PartAt(arrived.chunk), arrived.destination, children);
  }

  std::uint32_t ParentCount(const GroupFlow& flow) const override {
    return PartAt(flow.chunk).owner == flow.source ? 0 : 1;
  }

  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override {
    const Part part = PartAt(flow.chunk);
    if (part.owner == flow.source) return;
    parents->push_back(
        Make(part, trees().Toward(part.channel, flow.source, part.owner), flow.source));
  }

 private:
  void SendsOf(const Part& part, Participant p, std::vector<GroupFlow>* out) const override {
    const Participant from =
        p == part.owner ? GroupShape::kNone : trees().Toward(part.channel, p, part.owner);
    const std::uint32_t degree = trees().Degree(part.channel, p);
    for (std::uint32_t i = 0; i < degree; ++i) {
      const Participant to = trees().Neighbour(part.channel, p, i);
      if (to != from) out->push_back(Make(part, p, to));
    }
  }

  bool gathers() const override { return true; }
  void MarkReductions(GroupFlow* /*flow*/) const override {}
};

class ReduceScatterTrees final : public PartTrees {
 public:
  using PartTrees::PartTrees;

  FlowCounts CountsOf(Participant p) const override {
    return {arrivals(p) * pieces(), forwards(p) * pieces()};
  }

  void Begin(Participant p, std::vector<GroupFlow>* out) const override {
    for (std::uint32_t chunk = 0; chunk < first_pieces() * ranks(); ++chunk) {
      const Part part = PartAt(chunk);
      if (trees().Contains(part.channel, p) && trees().Degree(part.channel, p) == 1)
        SendsOf(part, p, out);
    }
  }

  void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const override {
    SendsOf(PartAt(arrived.chunk), arrived.destination, children);
  }

  /// One parent from each neighbour, except the one that the message goes to.
  std::uint32_t ParentCount(const GroupFlow& flow) const override {
    return trees().Degree(flow.channel, flow.source) - 1;
  }

  void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const override {
    const Part part = PartAt(flow.chunk);
    const std::uint32_t degree = trees().Degree(part.channel, flow.source);
    for (std::uint32_t i = 0; i < degree; ++i) {
      const Participant from = trees().Neighbour(part.channel, flow.source, i);
      if (from != flow.destination) parents->push_back(Make(part, from, flow.source));
    }
  }

 private:
  void SendsOf(const Part& part, Participant p, std::vector<GroupFlow>* out) const override {
    if (p != part.owner) out->push_back(Make(part, p, trees().Toward(part.channel, p, part.owner)));
  }

  bool gathers() const override { return false; }
  void MarkReductions(GroupFlow* flow) const override {
    flow->reduces = true;
    flow->reduced =
        shape().is_rank(flow->source) && trees().Degree(flow->channel, flow->source) > 1;
  }
};

}  // namespace

std::unique_ptr<Schedule> MakePartTrees(Operation operation, std::unique_ptr<SpanningTrees> trees,
                                        std::int64_t bytes, std::uint32_t pieces,
                                        std::uint32_t in_flight) {
  HEDDLE_EXPECT(operation == Operation::kAllGather || operation == Operation::kReduceScatter);
  if (operation == Operation::kAllGather) {
    return std::make_unique<AllGatherTrees>(std::move(trees), bytes, pieces, in_flight);
  }
  return std::make_unique<ReduceScatterTrees>(std::move(trees), bytes, pieces, in_flight);
}

}  // namespace heddle
