// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/collnet_parts_schedule.h"

#include <algorithm>
#include <map>

#include "collectives/in_network/collnet_schedule.h"
#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {
namespace {

/// Numbers of parts that the names of streams have room for.
constexpr std::uint32_t kMostParts = 1U << 16;

/// Calls visit({source, destination, bytes, count}) for each size.
using Sizes = std::map<std::int64_t, std::uint64_t>;
void VisitAll(const Sizes& sizes, Participant source, Participant destination,
              const std::function<void(const FlowBundle&)>& visit) {
  for (const auto& [bytes, count] : sizes) visit({source, destination, bytes, count});
}

}  // namespace

CollNetPartsSchedule::CollNetPartsSchedule(const CollectiveSpec& spec, const GroupShape& shape,
                                           const ChunkOptions& options)
    : shape_(shape),
      bytes_(spec.bytes),
      gathers_(spec.operation == Operation::kAllGather),
      locals_(shape.fewest_locals()),
      // A group a channel in each of two phases.
      in_flight_(static_cast<std::uint32_t>(2 * options.collnet_channels)) {
  HEDDLE_EXPECT((gathers_ || spec.operation == Operation::kReduceScatter) &&
                WhyNoCollNet(CollNetForm::kDirect, shape).empty() && shape.servers() <= kMostParts);
  const std::int64_t piece = CollNetPiece(CollNetForm::kDirect, bytes_, locals_, options);
  const std::int64_t block =
      std::max<std::int64_t>(1, (bytes_ + shape.ranks() - 1) / shape.ranks());
  in_block_ = std::min(PiecesOf(bytes_, shape.ranks(), piece), kMostParts / shape.servers());
  if (in_block_ == 1)
    in_group_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(piece / block, 1, kMostParts));
  parts_ = in_block_ * shape.servers();
  groups_ = (parts_ + in_group_ - 1) / in_group_;
  for (std::uint32_t rail = 0; rail < locals_; ++rail) {
    const TreeLinks& links = links_.emplace_back(shape, rail);
    std::vector<std::uint32_t>& below = servers_below_.emplace_back(links.switches(), 0);
    for (std::uint32_t server = 0; server < shape.servers(); ++server) {
      Participant p = links.AboveMember(server);
      for (; !links.IsRoot(p); p = links.Above(p)) ++below[p - links.first()];
      ++below[0];
    }
  }
}

CollNetPartsSchedule::Numbers CollNetPartsSchedule::PartsOf(std::uint32_t group) const {
  const std::uint32_t begin = std::min(group, groups_) * in_group_;
  return {std::min(begin, parts_), std::min(begin + in_group_, parts_)};
}

CollNetPartsSchedule::Numbers CollNetPartsSchedule::PartsOf(std::uint32_t group,
                                                            std::uint32_t server) const {
  const Numbers all = PartsOf(group);
  const std::uint32_t begin = std::max(all.begin, server * in_block_);
  return {begin, std::max(begin, std::min(all.end, (server + 1) * in_block_))};
}

ByteRange CollNetPartsSchedule::RangeOf(const Piece& part) const {
  const std::uint32_t server = std::min(ServerOf(part.number), shape_.servers() - 1);
  const Participant owner = HeadOf(part.rail, server);
  return PartOf(PartOf({0, bytes_}, shape_.ranks(), owner), in_block_, part.number % in_block_);
}

std::int64_t CollNetPartsSchedule::BytesOfGroup(const Piece& group) const {
  std::int64_t sum = 0;
  const Numbers parts = PartsOf(group.number);
  for (std::uint32_t part = parts.begin; part < parts.end; ++part)
    sum += RangeOf({group.rail, part}).bytes;
  return sum;
}

Participant CollNetPartsSchedule::Above(std::uint32_t rail, Participant p) const {
  return shape_.adds(p) ? links_[rail].Above(p) : links_[rail].AboveMember(shape_.server_of(p));
}

Participant CollNetPartsSchedule::Towards(std::uint32_t rail, Participant p,
                                          std::uint32_t server) const {
  const TreeLinks& links = links_[rail];
  Participant below = HeadOf(rail, server), above = links.AboveMember(server);
  while (above != p) {
    if (links.IsRoot(above)) return GroupShape::kNone;
    below = above;
    above = links.Above(above);
  }
  return below;
}

GroupFlow CollNetPartsSchedule::Up(const Piece& part, Participant from) const {
  const ByteRange range = RangeOf(part);
  GroupFlow flow;
  flow.source = from;
  flow.destination = Above(part.rail, from);
  flow.chunk = part.number;
  flow.channel = static_cast<std::uint16_t>(part.rail);
  flow.connection = Connection::kCollNetUp;
  flow.reduces = !gathers_;
  flow.reduced = !gathers_ && !shape_.adds(from) && locals_ > 1;
  flow.answers = shape_.adds(from);
  flow.offset = range.offset;
  flow.bytes = range.bytes;
  return flow;
}

GroupFlow CollNetPartsSchedule::Down(const Piece& part, Participant to) const {
  GroupFlow flow = Up(part, to);
  std::swap(flow.source, flow.destination);
  flow.connection = Connection::kCollNetDown;
  flow.reduces = flow.reduced = false;
  flow.answers = true;
  return flow;
}

GroupFlow CollNetPartsSchedule::Inside(const Piece& group, Participant other) const {
  GroupFlow flow;
  flow.source = HeadOf(group.rail, shape_.server_of(other));
  flow.destination = other;
  if (!gathers_) std::swap(flow.source, flow.destination);
  flow.chunk = group.number;
  flow.channel = static_cast<std::uint16_t>(group.rail);
  flow.connection = gathers_ ? Connection::kTreeDown : Connection::kTreeUp;
  flow.reduces = !gathers_;
  flow.offset = RangeOf({group.rail, PartsOf(group.number).begin}).offset;
  flow.bytes = BytesOfGroup(group);
  return flow;
}

void CollNetPartsSchedule::AddUps(const Piece& part, Participant p, Flows* out) const {
  const TreeLinks& links = links_[part.rail];
  std::for_each(links.begin(p), links.end(p),
                [&](Participant from) { out->push_back(Up(part, from)); });
}

void CollNetPartsSchedule::AddDowns(const Piece& part, Participant p, Flows* out) const {
  const TreeLinks& links = links_[part.rail];
  std::for_each(links.begin(p), links.end(p),
                [&](Participant to) { out->push_back(Down(part, to)); });
}

void CollNetPartsSchedule::AddDownToOwner(const Piece& part, Participant p, Flows* out) const {
  const Participant to = Towards(part.rail, p, ServerOf(part.number));
  if (to != GroupShape::kNone) out->push_back(Down(part, to));
}

void CollNetPartsSchedule::AddOwnUps(const Piece& group, Participant head, Flows* out) const {
  const Numbers parts =
      gathers_ ? PartsOf(group.number, shape_.server_of(head)) : PartsOf(group.number);
  for (std::uint32_t part = parts.begin; part < parts.end; ++part)
    out->push_back(Up({group.rail, part}, head));
}

void CollNetPartsSchedule::AddInside(const Piece& group, Participant head, Flows* out) const {
  const std::uint32_t server = shape_.server_of(head);
  for (std::uint32_t i = 1; i < locals_; ++i)
    out->push_back(Inside(group, shape_.local(server, (group.rail + i) % locals_)));
}

void CollNetPartsSchedule::AddToHeads(std::uint32_t group, Participant p, Flows* out) const {
  if (group >= groups_) return;
  const std::uint32_t own = shape_.local_of(p);
  // To the head after it first, so that heads do not all begin with the same senders.
  for (std::uint32_t i = 1; i < locals_; ++i)
    out->push_back(Inside({(own + i) % locals_, group}, p));
  if (locals_ == 1) AddOwnUps({0, group}, p, out);
}

void CollNetPartsSchedule::All(const Piece& piece, Flows* out) const {
  const TreeLinks& links = links_[piece.rail];
  for (Participant p = links.first(); p < links.first() + links.switches(); ++p) {
    if (gathers_) {
      AddDowns(piece, p, out);
    } else {
      AddUps(piece, p, out);
    }
  }
  // The path between the owner and the root.
  const std::uint32_t server = ServerOf(piece.number);
  Participant p = HeadOf(piece.rail, server);
  do {
    out->push_back(gathers_ ? Up(piece, p) : Down(piece, p));
    p = Above(piece.rail, p);
  } while (!links.IsRoot(p));
  if (piece.number >= groups_) return;
  for (std::uint32_t s = 0; s < shape_.servers(); ++s) AddInside(piece, HeadOf(piece.rail, s), out);
}

std::uint64_t CollNetPartsSchedule::flow_count() const {
  const std::uint64_t servers = shape_.servers();
  std::uint64_t sum = 0;
  for (std::uint32_t rail = 0; rail < locals_; ++rail) {
    const std::vector<std::uint32_t>& below = servers_below_[rail];
    std::uint64_t ways = servers;  // links from all owners to the root
    for (std::size_t k = 1; k < below.size(); ++k) ways += below[k];
    sum += parts_ * (servers + below.size() - 1) + in_block_ * ways;
    sum += groups_ * servers * (locals_ - 1);
  }
  return sum;
}

FlowCounts CollNetPartsSchedule::CountsOf(Participant p) const {
  if (shape_.is_nvswitch(p)) return {};
  // Counts of all parts, and of the parts of the servers below it; as an AllGather has them.
  FlowCounts counts;
  if (!shape_.adds(p)) {
    const std::uint64_t inside = std::uint64_t{groups_} * (locals_ - 1);
    counts = {in_block_ + inside, parts_ + inside};
  } else {
    for (std::uint32_t rail = 0; rail < locals_; ++rail) {
      const TreeLinks& links = links_[rail];
      if (!links.Has(p)) continue;
      const std::uint64_t owned =
          std::uint64_t{in_block_} * servers_below_[rail][p - links.first()];
      const std::uint64_t all = parts_;
      const bool root = links.IsRoot(p);
      counts = {(root ? 0 : owned) + all * links.CountBelow(p), owned + (root ? 0 : all)};
    }
  }
  if (!gathers_) std::swap(counts.sends, counts.receives);
  return counts;
}

void CollNetPartsSchedule::Begin(Participant p, Flows* out) const {
  if (p >= shape_.ranks()) return;
  for (std::uint32_t group = 0; group < std::min(in_flight_, groups_); ++group) {
    if (gathers_) {
      AddOwnUps({shape_.local_of(p), group}, p, out);
    } else {
      AddToHeads(group, p, out);
    }
  }
}

void CollNetPartsSchedule::After(const GroupFlow& arrived, Flows* children) const {
  const Piece piece = {arrived.channel, arrived.chunk};
  const Participant p = arrived.destination;
  const bool at_switch = shape_.adds(p);
  switch (arrived.connection) {
    case Connection::kTreeUp:
      AddOwnUps(piece, p, children);
      return;
    case Connection::kCollNetUp:
      if (!links_[piece.rail].IsRoot(p)) {
        children->push_back(Up(piece, p));
        return;
      }
      break;
    case Connection::kCollNetDown:
      break;
    default:
      return;
  }
  if (at_switch) {
    gathers_ ? AddDowns(piece, p, children) : AddDownToOwner(piece, p, children);
  } else if (gathers_) {
    const std::uint32_t group = GroupOf(piece.number);
    AddInside({piece.rail, group}, p, children);
    if (groups_ - group > in_flight_) AddOwnUps({piece.rail, group + in_flight_}, p, children);
  }
}

std::uint32_t CollNetPartsSchedule::ParentCount(const GroupFlow& flow) const {
  const TreeLinks& links = links_[flow.channel];
  switch (flow.connection) {
    case Connection::kTreeDown: {
      const Numbers parts = PartsOf(flow.chunk);
      return parts.end - parts.begin;
    }
    case Connection::kCollNetUp:
      if (shape_.adds(flow.source)) return gathers_ ? 1 : links.CountBelow(flow.source);
      if (!gathers_) return locals_ - 1;
      return GroupOf(flow.chunk) >= in_flight_ ? in_group_ : 0;
    case Connection::kCollNetDown:
      return gathers_ || !links.IsRoot(flow.source) ? 1 : links.CountBelow(flow.source);
    default:
      return 0;
  }
}

void CollNetPartsSchedule::Parents(const GroupFlow& flow, Flows* parents) const {
  const Piece piece = {flow.channel, flow.chunk};
  const auto downs = [&](std::uint32_t group) {
    const Numbers parts = PartsOf(group);
    for (std::uint32_t part = parts.begin; part < parts.end; ++part)
      parents->push_back(Down({piece.rail, part}, flow.source));
  };
  // What feeds a switch on the path up.
  const auto ups = [&] {
    if (!gathers_) return AddUps(piece, flow.source, parents);
    const Participant from = Towards(piece.rail, flow.source, ServerOf(piece.number));
    if (from != GroupShape::kNone) parents->push_back(Up(piece, from));
  };
  switch (flow.connection) {
    case Connection::kTreeDown:
      return downs(piece.number);
    case Connection::kCollNetUp:
      if (shape_.adds(flow.source)) return ups();
      if (!gathers_) return AddInside({piece.rail, GroupOf(piece.number)}, flow.source, parents);
      if (GroupOf(piece.number) >= in_flight_) downs(GroupOf(piece.number) - in_flight_);
      return;
    case Connection::kCollNetDown:
      if (links_[piece.rail].IsRoot(flow.source)) return ups();
      parents->push_back(Down(piece, flow.source));
      return;
    default:
      return;
  }
}

void CollNetPartsSchedule::AfterSent(const GroupFlow& sent, Flows* next) const {
  if (gathers_ || sent.connection != Connection::kCollNetUp || !shape_.is_rank(sent.source)) return;
  const std::uint32_t group = GroupOf(sent.chunk);
  if (sent.chunk + 1 == PartsOf(group).end) AddToHeads(group + in_flight_, sent.source, next);
}

void CollNetPartsSchedule::Predecessors(const GroupFlow& flow, Flows* earlier) const {
  if (gathers_ || !shape_.is_rank(flow.source)) return;
  const bool alone = locals_ == 1 && flow.connection == Connection::kCollNetUp;
  if (!alone && flow.connection != Connection::kTreeUp) return;
  const std::uint32_t group = alone ? GroupOf(flow.chunk) : flow.chunk;
  if (group < in_flight_) return;
  const Numbers parts = PartsOf(group - in_flight_);
  earlier->push_back(Up({shape_.local_of(flow.source), parts.end - 1}, flow.source));
}

void CollNetPartsSchedule::ForEachRange(const GroupFlow& flow,
                                        const std::function<void(const ByteRange&)>& visit) const {
  const bool inside =
      flow.connection == Connection::kTreeUp || flow.connection == Connection::kTreeDown;
  const Numbers parts = inside ? PartsOf(flow.chunk) : Numbers{flow.chunk, flow.chunk + 1};
  for (std::uint32_t part = parts.begin; part < parts.end; ++part)
    visit(RangeOf({flow.channel, part}));
}

void CollNetPartsSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  Flows flows;
  for (std::uint32_t rail = 0; rail < locals_; ++rail) {
    for (std::uint32_t number = 0; number < parts_; ++number) {
      flows.clear();
      All({rail, number}, &flows);
      for (const GroupFlow& flow : flows) visit(flow);
    }
  }
}

void CollNetPartsSchedule::ForEachBundle(
    const std::function<void(const FlowBundle&)>& visit) const {
  Flows flows;
  for (std::uint32_t rail = 0; rail < locals_; ++rail) {
    Sizes parts, groups;
    for (std::uint32_t part = 0; part < parts_; ++part) ++parts[RangeOf({rail, part}).bytes];
    for (std::uint32_t group = 0; group < groups_; ++group) ++groups[BytesOfGroup({rail, group})];
    const TreeLinks& links = links_[rail];
    flows.clear();
    for (Participant p = links.first(); p < links.first() + links.switches(); ++p)
      gathers_ ? AddDowns({rail, 0}, p, &flows) : AddUps({rail, 0}, p, &flows);
    for (const GroupFlow& flow : flows) VisitAll(parts, flow.source, flow.destination, visit);
    for (std::uint32_t server = 0; server < shape_.servers(); ++server) {
      const Participant head = HeadOf(rail, server);
      flows.clear();
      AddInside({rail, 0}, head, &flows);
      for (const GroupFlow& flow : flows) VisitAll(groups, flow.source, flow.destination, visit);
      Sizes owned;
      for (std::uint32_t i = 0; i < in_block_; ++i)
        ++owned[RangeOf({rail, server * in_block_ + i}).bytes];
      Participant below = head;
      do {
        const Participant above = Above(rail, below);
        gathers_ ? VisitAll(owned, below, above, visit) : VisitAll(owned, above, below, visit);
        below = above;
      } while (!links.IsRoot(below));
    }
  }
}

std::size_t CollNetPartsSchedule::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(links_) + MemoryOf(servers_below_);
  for (const TreeLinks& links : links_) sum += links.memory();
  for (const std::vector<std::uint32_t>& below : servers_below_) sum += MemoryOf(below);
  return sum;
}

}  // namespace heddle
