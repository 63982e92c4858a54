// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/collnet_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostLocals = 8;  // NCCL: the arity of its kernels
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kSteps = 8;            // NCCL_STEPS: slots of a connection
constexpr std::uint32_t kMostCuts = 1 << 15;  // of each of 2^16 pieces: numbers fit in 32 bits

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
  const SumOperations& operations = shape.sum_operations();
  if (operations.any()) {
    cuts_ = std::min(PiecesOf(bytes_, locals_ * pieces_, operations.bytes), kMostCuts);
    window_ = operations.under_way;
  } else {
    // Where a server has several GPUs, others begin pieces, and the head follows.
    window_ = locals_ == 1 ? in_flight_ : std::numeric_limits<std::uint32_t>::max();
  }
  for (std::uint32_t head = 0; head < locals_; ++head) links_.emplace_back(shape, head);
}

std::uint32_t CollNetSchedule::PlaceOf(std::uint32_t head, Participant rank) const {
  if (!shape_.is_rank(rank)) return locals_ - 1;  // an NVSwitch, which only made-up names have
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
  if (count == 0) return;
  const std::uint32_t first = shape_.local_of(p) + 1;
  for (std::uint32_t i = 0; i < count; ++i)
    found->push_back(shape_.local(server, (first + i) % locals_));
}

GroupFlow CollNetSchedule::Make(const Piece& piece, Connection connection, Participant source,
                                Participant destination) const {
  const ByteRange slice = PartOf({0, bytes_}, locals_, piece.head);
  const ByteRange range = InTree(connection) ? PartOf(PartOf(slice, pieces_, piece.number / cuts_),
                                                      cuts_, piece.number % cuts_)
                                             : PartOf(slice, pieces_, piece.number);
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = piece.number;
  flow.channel = static_cast<std::uint16_t>(piece.head);
  flow.connection = connection;
  const bool up = IsUp(connection);
  flow.reduces = up;
  flow.reduced = up && !shape_.adds(source) && CountBelow(piece.head, source) > 0;
  // The library sends what waits for an earlier result. Software has handed it on by then.
  const bool waits = connection == Connection::kCollNetUp && shape_.sum_operations().any() &&
                     HasTurn(piece.number);
  flow.answers = shape_.adds(source) || waits;
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

void CollNetSchedule::All(const Piece& part, std::vector<GroupFlow>* out) const {
  const TreeLinks& links = links_[part.head];
  const auto both = [&](Participant p) {
    out->push_back(Up(part, p));
    out->push_back(Down(part, p));
  };
  for (Participant rank = 0; rank < shape_.ranks(); ++rank) {
    if (part.number < pieces_ || IsHead(part.head, rank)) both(rank);
  }
  for (std::uint32_t k = 1; k < links.switches(); ++k) both(links.first() + k);
}

std::uint64_t CollNetSchedule::flow_count() const {
  std::uint64_t sum = 0;
  for (const TreeLinks& links : links_) {
    const std::uint64_t heads = shape_.servers();
    const std::uint64_t in_tree = heads + links.switches() - 1;  // all but the root
    sum += 2 * pieces_ * (shape_.ranks() - heads + in_tree * cuts_);
  }
  return sum;
}

FlowCounts CollNetSchedule::CountsOf(Participant p) const {
  FlowCounts counts;
  if (shape_.is_nvswitch(p)) return counts;
  for (std::uint32_t head = 0; head < locals_; ++head) {
    if (shape_.adds(p) && !links_[head].Has(p)) continue;
    const std::uint64_t above = IsRoot(head, p) ? 0 : 1, below = CountBelow(head, p);
    const std::uint64_t messages = above * (shape_.adds(p) || IsHead(head, p) ? cuts_ : 1) +
                                   below * (shape_.adds(p) ? cuts_ : 1);
    counts.sends += messages * pieces_;
    counts.receives += messages * pieces_;
  }
  return counts;
}

void CollNetSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (p >= shape_.ranks()) return;
  // A GPU sends to the head after it first, so that heads do not all begin with the same senders.
  const std::uint32_t own = shape_.local_of(p);
  // It is a head if it is alone in its server.
  const std::uint32_t first =
      locals_ == 1 ? std::min(window_, chunk_count()) : std::min(in_flight_, pieces_);
  for (std::uint32_t number = 0; number < first; ++number) {
    for (std::uint32_t i = 0; i < locals_; ++i) {
      const std::uint32_t head = (own + i) % locals_;
      if (AtEnd(head, p)) out->push_back(Up({head, number}, p));
    }
  }
}

void CollNetSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Piece piece = PieceOf(arrived);
  const Participant p = arrived.destination;
  const bool up = IsUp(arrived.connection), head = IsHead(piece.head, p);
  if (up && head) {
    for (std::uint32_t k = 0; k < cuts_; ++k) children->push_back(Up(Operation(piece, k), p));
  } else if (up && !IsRoot(piece.head, p)) {
    children->push_back(Up(piece, p));
  } else if (!up && head) {
    AddDowns(WholeOf(piece), p, children);
    if (chunk_count() - piece.number > window_)
      children->push_back(Up({piece.head, piece.number + window_}, p));
  } else {
    AddDowns(piece, p, children);
    if (!up && AtEnd(piece.head, p) && pieces_ - piece.number > in_flight_)
      children->push_back(Up({piece.head, piece.number + in_flight_}, p));
  }
}

std::uint32_t CollNetSchedule::ParentCount(const GroupFlow& flow) const {
  const bool up = IsUp(flow.connection);
  const std::uint32_t head = flow.channel, below = CountBelow(head, flow.source);
  if (IsHead(head, flow.source)) return up ? below + (HasTurn(flow.chunk) ? 1 : 0) : cuts_;
  if (up && AtEnd(head, flow.source)) return flow.chunk >= in_flight_ ? 1 : 0;
  return up || IsRoot(head, flow.source) ? below : 1;
}

void CollNetSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Piece piece = PieceOf(flow);
  const Participant p = flow.source;
  const bool up = IsUp(flow.connection);
  const bool head = IsHead(piece.head, p);
  if (head && up) {
    AddUps(WholeOf(piece), p, parents);
    if (HasTurn(piece.number)) parents->push_back(Down({piece.head, piece.number - window_}, p));
  } else if (head) {
    for (std::uint32_t k = 0; k < cuts_; ++k) parents->push_back(Down(Operation(piece, k), p));
  } else if (up && AtEnd(piece.head, p)) {
    if (piece.number >= in_flight_)
      parents->push_back(Down({piece.head, piece.number - in_flight_}, p));
  } else if (up || IsRoot(piece.head, p)) {
    AddUps(piece, p, parents);
  } else {
    parents->push_back(Down(piece, p));
  }
}

void CollNetSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> flows;
  for (std::uint32_t head = 0; head < locals_; ++head) {
    for (std::uint32_t number = 0; number < chunk_count(); ++number) {
      flows.clear();
      All({head, number}, &flows);
      for (const GroupFlow& flow : flows) visit(flow);
    }
  }
}

void CollNetSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  for (std::uint32_t head = 0; head < locals_; ++head) {
    const std::int64_t slice = PartOf({0, bytes_}, locals_, head).bytes;
    // Pieces have two sizes, which differ by a byte, and so have all operations.
    const auto visit_both = [&](Participant p, bool in_tree) {
      const std::uint64_t parts = std::uint64_t{pieces_} * (in_tree ? cuts_ : 1);
      const std::int64_t least = slice / pieces_ / (in_tree ? cuts_ : 1);
      const auto large =
          static_cast<std::uint64_t>(slice - least * static_cast<std::int64_t>(parts));
      const Participant above = Above(head, p);
      for (const bool up : {true, false}) {
        const Participant from = up ? p : above, to = up ? above : p;
        if (parts > large) visit({from, to, least, parts - large});
        if (large > 0) visit({from, to, least + 1, large});
      }
    };
    for (Participant rank = 0; rank < shape_.ranks(); ++rank) visit_both(rank, IsHead(head, rank));
    for (std::uint32_t k = 1; k < links_[head].switches(); ++k)
      visit_both(links_[head].first() + k, true);
  }
}

std::size_t CollNetSchedule::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(links_);
  for (const TreeLinks& links : links_) sum += links.memory();
  return sum;
}

}  // namespace heddle
