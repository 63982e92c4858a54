// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/collnet_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostLocals = 8;  // NCCL: the arity of its kernels
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kSteps = 8;  // NCCL_STEPS: slots of a connection

}  // namespace

std::int64_t CollNetPiece(CollNetForm form, std::int64_t bytes, std::uint32_t locals,
                          const ChunkOptions& options) {
  const bool direct = form == CollNetForm::kDirect;
  const std::int64_t depth = direct ? (locals > 1 ? 2 : 1) : std::int64_t{locals};
  const std::int64_t at_once = options.collnet_channels * (direct ? std::int64_t{locals} : 1);
  std::int64_t piece = std::min(options.chunk_bytes, (direct ? 512 : 256) * kKiB);
  // Compared by quotients, as products may not fit.
  const auto halve = [&](std::int64_t times, std::int64_t least) {
    while (piece > least && bytes / piece < times * at_once) piece /= 2;
  };
  halve(64 * depth, 128 * kKiB);
  halve(8 * depth, 64 * kKiB);
  halve(direct ? 8 * depth : depth, 32 * kKiB);
  return piece;
}

std::string WhyNoCollNet(CollNetForm form, const GroupShape& shape) {
  if (shape.servers() < 2)
    return "all of them are in one server, so there is nothing for switches to add. Expected: "
           "ring, "
           "tree or nvls";
  if (shape.fewest_locals() * shape.servers() != shape.ranks())
    return "some servers have more GPUs of the group than others";
  if (shape.fewest_locals() > kMostLocals) {
    return fmt::format("{} GPUs a server. NCCL's CollNet has at most {}", shape.fewest_locals(),
                       kMostLocals);
  }
  if (shape.trees() == 0) return shape.why_no_trees();
  if (form == CollNetForm::kDirect && shape.fewest_locals() > 1) {
    for (std::uint32_t server = 0; server < shape.servers(); ++server) {
      if (shape.nvswitches(server) == 0)
        return "its GPUs have no NVSwitch in common, which the direct form needs. Expected: "
               "collnet_chain";
    }
  }
  return {};
}

CollNetSchedule::CollNetSchedule(CollNetForm form, const CollectiveSpec& spec,
                                 const GroupShape& shape, const ChunkOptions& options)
    : form_(form),
      shape_(shape),
      bytes_(spec.bytes),
      locals_(shape.fewest_locals()),
      pieces_(PiecesOf(spec.bytes, locals_, CollNetPiece(form, spec.bytes, locals_, options))) {
  HEDDLE_EXPECT(spec.operation == Operation::kAllReduce && WhyNoCollNet(form, shape).empty());
  // Direct: a piece a channel in each of two phases; chain: the slots of the channels of a head.
  const std::int64_t channels = options.collnet_channels;
  const std::int64_t window = form == CollNetForm::kDirect
                                  ? 2 * channels
                                  : std::max<std::int64_t>(1, channels / locals_) * kSteps;
  in_flight_ = static_cast<std::uint32_t>(window);
  for (std::uint32_t head = 0; head < locals_; ++head) links_.emplace_back(shape, head);
}

std::uint32_t CollNetSchedule::PlaceOf(std::uint32_t head, Participant rank) const {
  const std::uint32_t place = (shape_.local_of(rank) + locals_ - head) % locals_;
  return form_ == CollNetForm::kChain ? place : std::min(place, 1U);
}

bool CollNetSchedule::IsRoot(std::uint32_t head, Participant p) const {
  return links_[head].IsRoot(p);
}

Participant CollNetSchedule::Above(std::uint32_t head, Participant p) const {
  const TreeLinks& links = links_[head];
  if (shape_.adds(p)) return links.Above(p);
  const std::uint32_t server = shape_.server_of(p), place = PlaceOf(head, p);
  if (place == 0) return links.AboveMember(server);
  return shape_.local(server, (head + place - 1) % locals_);
}

std::uint32_t CollNetSchedule::CountBelow(std::uint32_t head, Participant p) const {
  if (shape_.adds(p)) return links_[head].CountBelow(p);
  const std::uint32_t place = PlaceOf(head, p);
  if (form_ == CollNetForm::kChain) return place + 1 < locals_ ? 1 : 0;
  return place == 0 ? locals_ - 1 : 0;
}

void CollNetSchedule::Below(std::uint32_t head, Participant p,
                            std::vector<Participant>* found) const {
  found->clear();
  if (shape_.adds(p)) {
    found->assign(links_[head].begin(p), links_[head].end(p));
    return;
  }
  const std::uint32_t count = CountBelow(head, p), server = shape_.server_of(p);
  const std::uint32_t first = shape_.local_of(p) + 1;
  for (std::uint32_t i = 0; i < count; ++i)
    found->push_back(shape_.local(server, (first + i) % locals_));
}

GroupFlow CollNetSchedule::Make(const Piece& piece, Connection connection, Participant source,
                                Participant destination) const {
  const ByteRange range = PartOf(PartOf({0, bytes_}, locals_, piece.head), pieces_, piece.number);
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = piece.number;
  flow.channel = static_cast<std::uint16_t>(piece.head);
  flow.connection = connection;
  const bool up = connection == Connection::kTreeUp || connection == Connection::kCollNetUp;
  flow.reduces = up;
  flow.reduced = up && !shape_.adds(source) && CountBelow(piece.head, source) > 0;
  flow.answers = shape_.adds(source);
  flow.offset = range.offset;
  flow.bytes = range.bytes;
  return flow;
}

GroupFlow CollNetSchedule::Up(const Piece& piece, Participant from) const {
  const Participant to = Above(piece.head, from);
  return Make(piece, shape_.adds(to) ? Connection::kCollNetUp : Connection::kTreeUp, from, to);
}

GroupFlow CollNetSchedule::Down(const Piece& piece, Participant to) const {
  const Participant from = Above(piece.head, to);
  return Make(piece, shape_.adds(from) ? Connection::kCollNetDown : Connection::kTreeDown, from,
              to);
}

void CollNetSchedule::AddUps(const Piece& piece, Participant p, std::vector<GroupFlow>* out) const {
  std::vector<Participant> below;
  Below(piece.head, p, &below);
  for (const Participant from : below) out->push_back(Up(piece, from));
}

void CollNetSchedule::AddDowns(const Piece& piece, Participant p,
                               std::vector<GroupFlow>* out) const {
  std::vector<Participant> below;
  Below(piece.head, p, &below);
  for (const Participant to : below) out->push_back(Down(piece, to));
}

void CollNetSchedule::All(const Piece& piece, std::vector<GroupFlow>* out) const {
  const TreeLinks& links = links_[piece.head];
  for (Participant rank = 0; rank < shape_.ranks(); ++rank) {
    out->push_back(Up(piece, rank));
    out->push_back(Down(piece, rank));
  }
  for (std::uint32_t k = 1; k < links.switches(); ++k) {
    out->push_back(Up(piece, links.first() + k));
    out->push_back(Down(piece, links.first() + k));
  }
}

std::uint64_t CollNetSchedule::flow_count() const {
  std::uint64_t ends = 0;  // of trees, but for the roots: two messages each
  for (const TreeLinks& links : links_) ends += shape_.ranks() + links.switches() - 1;
  return 2 * ends * pieces_;
}

FlowCounts CollNetSchedule::CountsOf(Participant p) const {
  FlowCounts counts;
  if (shape_.is_nvswitch(p)) return counts;
  for (std::uint32_t head = 0; head < locals_; ++head) {
    if (shape_.adds(p) && !links_[head].Has(p)) continue;
    const std::uint64_t above = IsRoot(head, p) ? 0 : 1, below = CountBelow(head, p);
    counts.sends += (above + below) * pieces_;
    counts.receives += (above + below) * pieces_;
  }
  return counts;
}

void CollNetSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (p >= shape_.ranks()) return;
  // A GPU sends to the head after it first, so that heads do not all begin with the same senders.
  const std::uint32_t own = shape_.local_of(p);
  for (std::uint32_t number = 0; number < std::min(in_flight_, pieces_); ++number) {
    for (std::uint32_t i = 0; i < locals_; ++i) {
      const std::uint32_t head = (own + i) % locals_;
      if (AtEnd(head, p)) out->push_back(Up({head, number}, p));
    }
  }
}

void CollNetSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Piece piece = PieceOf(arrived);
  const Participant p = arrived.destination;
  const bool up =
      arrived.connection == Connection::kTreeUp || arrived.connection == Connection::kCollNetUp;
  if (up && !IsRoot(piece.head, p)) {
    children->push_back(Up(piece, p));
    return;
  }
  AddDowns(piece, p, children);
  if (!up && AtEnd(piece.head, p) && pieces_ - piece.number > in_flight_)
    children->push_back(Up({piece.head, piece.number + in_flight_}, p));
}

std::uint32_t CollNetSchedule::ParentCount(const GroupFlow& flow) const {
  const bool up =
      flow.connection == Connection::kTreeUp || flow.connection == Connection::kCollNetUp;
  if (up && AtEnd(flow.channel, flow.source)) return flow.chunk >= in_flight_ ? 1 : 0;
  return up || IsRoot(flow.channel, flow.source) ? CountBelow(flow.channel, flow.source) : 1;
}

void CollNetSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Piece piece = PieceOf(flow);
  const bool up =
      flow.connection == Connection::kTreeUp || flow.connection == Connection::kCollNetUp;
  if (up && AtEnd(piece.head, flow.source)) {
    if (piece.number >= in_flight_)
      parents->push_back(Down({piece.head, piece.number - in_flight_}, flow.source));
  } else if (up || IsRoot(piece.head, flow.source)) {
    AddUps(piece, flow.source, parents);
  } else {
    parents->push_back(Down(piece, flow.source));
  }
}

void CollNetSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (std::uint32_t head = 0; head < locals_; ++head) {
    for (std::uint32_t number = 0; number < pieces_; ++number) {
      flows.clear();
      All({head, number}, &flows);
      for (const GroupFlow& flow : flows) visit(flow);
    }
  }
}

void CollNetSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (std::uint32_t head = 0; head < locals_; ++head) {
    // The pieces of a slice have two sizes, which differ by a byte.
    const std::int64_t slice = PartOf({0, bytes_}, locals_, head).bytes;
    const std::int64_t least = slice / pieces_;
    std::uint64_t large = 0;
    for (std::uint32_t number = 0; number < pieces_; ++number)
      large += PartOf({0, slice}, pieces_, number).bytes > least ? 1 : 0;
    flows.clear();
    All({head, 0}, &flows);
    for (const GroupFlow& flow : flows) {
      visit({flow.source, flow.destination, least, pieces_ - large});
      if (large > 0) visit({flow.source, flow.destination, least + 1, large});
    }
  }
}

std::size_t CollNetSchedule::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(links_);
  for (const TreeLinks& links : links_) sum += links.memory();
  return sum;
}

}  // namespace heddle
