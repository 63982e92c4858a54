// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/multimem_tree_schedule.h"

#include <algorithm>

#include "collectives/in_network/collnet_schedule.h"
#include "collectives/in_network/multimem_schedule.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t kManyServers = 4;  // from which NVLS-Tree cuts smaller pieces

/// Messages of one piece of a server of `locals` GPUs.
std::uint64_t MessagesOfServer(std::uint64_t locals) { return 3 + 3 * locals; }

}  // namespace

std::int64_t MultimemTreePiece(AboveHeads above, std::int64_t bytes, const GroupShape& shape,
                               const ChunkOptions& options) {
  const std::uint32_t slices = shape.fewest_locals();
  std::int64_t piece = MultimemPiece(bytes, slices, options);
  if (above == AboveHeads::kSwitches) return piece;
  if (shape.servers() >= kManyServers) piece = std::min(piece, std::int64_t{64} << 10);
  const std::int64_t at_once = options.multimem_channels * std::int64_t{slices};
  // Compared by quotients, as products may not fit.
  const auto lower = [&](std::int64_t times, std::int64_t least) {
    if (piece > least && bytes / piece < times * at_once) piece = least;
  };
  lower(16, std::int64_t{128} << 10);
  lower(4, std::int64_t{64} << 10);
  lower(1, std::int64_t{32} << 10);
  return piece;
}

std::string WhyNoMultimemTree(AboveHeads above, const GroupShape& shape) {
  if (shape.servers() < 2) return "all of them are in one server. Expected: nvls";
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    if (shape.locals(server) < 2) return "a server has one GPU of the group";
    if (shape.nvswitches(server) == 0) return "GPUs of a server have no NVSwitch in common";
  }
  return above == AboveHeads::kSwitches ? WhyNoCollNet(CollNetForm::kDirect, shape) : "";
}

MultimemTreeSchedule::MultimemTreeSchedule(AboveHeads above, const CollectiveSpec& spec,
                                           const GroupShape& shape, const ChunkOptions& options)
    : shape_(shape),
      bytes_(spec.bytes),
      slices_(shape.fewest_locals()),
      pieces_(PiecesOf(spec.bytes, slices_, MultimemTreePiece(above, spec.bytes, shape, options))),
      in_flight_(static_cast<std::uint32_t>(options.multimem_slots * options.multimem_channels)) {
  HEDDLE_EXPECT(spec.operation == Operation::kAllReduce && WhyNoMultimemTree(above, shape).empty());
  tree_ = above == AboveHeads::kSwitches ? MakeSwitchTree(shape) : MakeBinaryTrees(shape);
}

GroupFlow MultimemTreeSchedule::Make(const Piece& piece, Connection connection, Participant source,
                                     Participant destination) const {
  const ByteRange range = PartOf(PartOf({0, bytes_}, slices_, piece.slice), pieces_, piece.number);
  GroupFlow flow;
  flow.source = source;
  flow.destination = destination;
  flow.chunk = piece.number;
  flow.channel = static_cast<std::uint16_t>(piece.slice);
  flow.connection = connection;
  flow.answers = !shape_.is_rank(source) || (connection == Connection::kNvlsPull);
  flow.reduces = IsUp(connection) || connection == Connection::kNvlsPull;
  flow.reduced = connection == Connection::kTreeUp && tree_->CountBelow(piece, source) > 0;
  flow.offset = range.offset;
  if (connection == Connection::kNvlsRequest) {
    flow.asked = range.bytes;
  } else {
    flow.bytes = range.bytes;
  }
  return flow;
}

GroupFlow MultimemTreeSchedule::Request(const Piece& piece, Participant head) const {
  return Make(piece, Connection::kNvlsRequest, head, SwitchOf(piece, ServerOf(head)));
}
GroupFlow MultimemTreeSchedule::RequestTo(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsRequest, SwitchOf(piece, ServerOf(gpu)), gpu);
}
GroupFlow MultimemTreeSchedule::Pull(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsPull, gpu, SwitchOf(piece, ServerOf(gpu)));
}
GroupFlow MultimemTreeSchedule::Sum(const Piece& piece, Participant head) const {
  return Make(piece, Connection::kNvlsPull, SwitchOf(piece, ServerOf(head)), head);
}
GroupFlow MultimemTreeSchedule::Store(const Piece& piece, Participant head) const {
  return Make(piece, Connection::kNvlsStore, head, SwitchOf(piece, ServerOf(head)));
}
GroupFlow MultimemTreeSchedule::StoreTo(const Piece& piece, Participant gpu) const {
  return Make(piece, Connection::kNvlsStore, SwitchOf(piece, ServerOf(gpu)), gpu);
}
GroupFlow MultimemTreeSchedule::Up(const Piece& piece, Participant from) const {
  const Participant to = tree_->Above(piece, from);
  return Make(piece, shape_.adds(to) ? Connection::kCollNetUp : Connection::kTreeUp, from, to);
}
GroupFlow MultimemTreeSchedule::Down(const Piece& piece, Participant to) const {
  const Participant from = tree_->Above(piece, to);
  return Make(piece, shape_.adds(from) ? Connection::kCollNetDown : Connection::kTreeDown, from,
              to);
}

bool MultimemTreeSchedule::IsStaged(const GroupFlow& flow) const {
  switch (flow.connection) {
    case Connection::kNvlsPull:
      return shape_.is_nvswitch(flow.source);
    case Connection::kNvlsStore:
      return shape_.is_rank(flow.source);
    case Connection::kNvlsRequest:
      return false;
    default:
      return true;
  }
}

std::uint32_t MultimemTreeSchedule::CountInputs(const Piece& piece, Participant node) const {
  return tree_->CountBelow(piece, node) + (shape_.is_rank(node) ? 1 : 0);
}

void MultimemTreeSchedule::AddInputs(const Piece& piece, Participant node, Flows* out) const {
  if (shape_.is_rank(node)) out->push_back(Sum(piece, node));
  std::vector<Participant> below;
  tree_->Below(piece, node, &below);
  for (const Participant from : below) out->push_back(Up(piece, from));
}

void MultimemTreeSchedule::AddDowns(const Piece& piece, Participant node, Flows* out) const {
  std::vector<Participant> below;
  tree_->Below(piece, node, &below);
  for (const Participant to : below) out->push_back(Down(piece, to));
}

void MultimemTreeSchedule::AfterInputs(const Piece& piece, Participant node, Flows* out) const {
  if (tree_->IsRoot(piece, node)) {
    AfterResult(piece, node, out);
  } else {
    out->push_back(Up(piece, node));
  }
}

void MultimemTreeSchedule::AfterResult(const Piece& piece, Participant node, Flows* out) const {
  AddDowns(piece, node, out);
  if (!shape_.is_rank(node)) return;
  out->push_back(Store(piece, node));
  if (pieces_ - piece.number > in_flight_)
    out->push_back(Request({piece.slice, piece.number + in_flight_}, node));
}

void MultimemTreeSchedule::AddBringers(const Piece& piece, Participant node, Flows* out) const {
  if (tree_->IsRoot(piece, node)) {
    AddInputs(piece, node, out);
  } else {
    out->push_back(Down(piece, node));
  }
}

std::uint32_t MultimemTreeSchedule::CountBringers(const Piece& piece, Participant node) const {
  return tree_->IsRoot(piece, node) ? CountInputs(piece, node) : 1;
}

void MultimemTreeSchedule::ForServer(const Piece& piece, std::uint32_t server,
                                     GroupFlow (MultimemTreeSchedule::*make)(const Piece&,
                                                                             Participant) const,
                                     Flows* out) const {
  for (std::uint32_t l = 0; l < shape_.locals(server); ++l)
    out->push_back((this->*make)(piece, shape_.local(server, l)));
}

void MultimemTreeSchedule::AllOfServer(const Piece& piece, std::uint32_t server, Flows* out) const {
  const Participant head = HeadOf(piece, server);
  out->push_back(Request(piece, head));
  ForServer(piece, server, &MultimemTreeSchedule::RequestTo, out);
  ForServer(piece, server, &MultimemTreeSchedule::Pull, out);
  out->push_back(Sum(piece, head));
  out->push_back(Store(piece, head));
  ForServer(piece, server, &MultimemTreeSchedule::StoreTo, out);
}

void MultimemTreeSchedule::AllBetween(const Piece& piece, Flows* out) const {
  std::vector<Participant> nodes;
  tree_->Nodes(piece.slice, &nodes);
  for (const Participant node : nodes) {
    if (tree_->IsRoot(piece, node)) continue;
    out->push_back(Up(piece, node));
    out->push_back(Down(piece, node));
  }
}

std::uint64_t MultimemTreeSchedule::flow_count() const {
  std::uint64_t sum = 0;
  for (std::uint32_t server = 0; server < shape_.servers(); ++server)
    sum += MessagesOfServer(shape_.locals(server)) * slices_;
  std::vector<Participant> nodes;
  for (std::uint32_t slice = 0; slice < slices_; ++slice) {
    nodes.clear();
    tree_->Nodes(slice, &nodes);
    sum += 2 * (nodes.size() - 1);
  }
  return sum * pieces_;
}

FlowCounts MultimemTreeSchedule::CountsOf(Participant p) const {
  FlowCounts counts;
  const std::uint64_t all = std::uint64_t{slices_} * pieces_;
  if (shape_.is_nvswitch(p)) {
    const std::uint32_t server = ServerOf(p), switches = shape_.nvswitches(server);
    const std::uint32_t own = p - shape_.nvswitch(server, 0);
    std::uint64_t turns = 0;  // its pieces: of slice l the first is number own - l
    for (std::uint32_t slice = 0; slice < slices_; ++slice) {
      const std::uint32_t first = (own + switches - slice % switches) % switches;
      if (first < pieces_) turns += (pieces_ - first - 1) / switches + 1;
    }
    const std::uint64_t locals = shape_.locals(server);
    return {turns * (2 * locals + 1), turns * (locals + 2)};
  }
  // A GPU is asked for all slices, sends them, and hears of results.
  if (shape_.is_rank(p)) counts = {all, 2 * all};
  const std::uint32_t first = shape_.is_rank(p) ? shape_.local_of(p) : 0;
  const std::uint32_t end = shape_.is_rank(p) ? first + 1 : slices_;
  for (std::uint32_t slice = first; slice < std::min(end, slices_); ++slice) {
    if (!shape_.is_rank(p) && !tree_->HasSwitch(slice, p)) continue;
    // Messages of every tree that pieces take in turn.
    for (std::uint32_t k = 0; k < std::min(tree_->period(), pieces_); ++k) {
      const std::uint64_t pieces = (pieces_ - k - 1) / tree_->period() + 1;
      const std::uint64_t links =
          tree_->CountBelow({slice, k}, p) + (tree_->IsRoot({slice, k}, p) ? 0 : 1);
      counts.sends += pieces * links;
      counts.receives += pieces * links;
    }
    // A head's requests and stores, and the sums.
    if (shape_.is_rank(p)) counts = {counts.sends + 2 * pieces_, counts.receives + pieces_};
  }
  return counts;
}

void MultimemTreeSchedule::Begin(Participant p, Flows* out) const {
  if (p >= shape_.ranks() || shape_.local_of(p) >= slices_) return;
  for (std::uint32_t number = 0; number < std::min(in_flight_, pieces_); ++number)
    out->push_back(Request({shape_.local_of(p), number}, p));
}

void MultimemTreeSchedule::After(const GroupFlow& arrived, Flows* children) const {
  const Piece piece = PieceOf(arrived);
  const Participant p = arrived.destination;
  const bool at_nvswitch = shape_.is_nvswitch(p);
  if (shape_.adds(p) && IsInside(arrived.connection)) return;  // no message has this name
  switch (arrived.connection) {
    case Connection::kNvlsRequest:
      if (at_nvswitch)
        return ForServer(piece, ServerOf(p), &MultimemTreeSchedule::RequestTo, children);
      children->push_back(Pull(piece, p));
      return;
    case Connection::kNvlsPull:
      if (at_nvswitch) {
        children->push_back(Sum(piece, HeadOf(piece, ServerOf(p))));
        return;
      }
      return AfterInputs(piece, p, children);
    case Connection::kNvlsStore:
      if (at_nvswitch) ForServer(piece, ServerOf(p), &MultimemTreeSchedule::StoreTo, children);
      return;
    default:
      return IsUp(arrived.connection) ? AfterInputs(piece, p, children)
                                      : AfterResult(piece, p, children);
  }
}

std::uint32_t MultimemTreeSchedule::ParentCount(const GroupFlow& flow) const {
  const Piece piece = PieceOf(flow);
  const bool from_nvswitch = shape_.is_nvswitch(flow.source);
  switch (flow.connection) {
    case Connection::kNvlsRequest:
      if (from_nvswitch) return 1;
      return piece.number < in_flight_
                 ? 0
                 : CountBringers({piece.slice, piece.number - in_flight_}, flow.source);
    case Connection::kNvlsPull:
      return from_nvswitch ? shape_.locals(ServerOf(flow.source)) : 1;
    case Connection::kNvlsStore:
      return from_nvswitch ? 1 : CountBringers(piece, flow.source);
    default:
      return IsUp(flow.connection) ? CountInputs(piece, flow.source)
                                   : CountBringers(piece, flow.source);
  }
}

void MultimemTreeSchedule::Parents(const GroupFlow& flow, Flows* parents) const {
  const Piece piece = PieceOf(flow);
  const bool from_nvswitch = shape_.is_nvswitch(flow.source);
  const std::uint32_t server = ServerOf(flow.source);
  if (shape_.adds(flow.source) && IsInside(flow.connection)) return;
  switch (flow.connection) {
    case Connection::kNvlsRequest:
      if (from_nvswitch) {
        parents->push_back(Request(piece, HeadOf(piece, server)));
      } else if (piece.number >= in_flight_) {
        AddBringers({piece.slice, piece.number - in_flight_}, flow.source, parents);
      }
      return;
    case Connection::kNvlsPull:
      if (from_nvswitch) return ForServer(piece, server, &MultimemTreeSchedule::Pull, parents);
      parents->push_back(RequestTo(piece, flow.source));
      return;
    case Connection::kNvlsStore:
      if (!from_nvswitch) return AddBringers(piece, flow.source, parents);
      parents->push_back(Store(piece, HeadOf(piece, server)));
      return;
    default:
      return IsUp(flow.connection) ? AddInputs(piece, flow.source, parents)
                                   : AddBringers(piece, flow.source, parents);
  }
}

void MultimemTreeSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  Flows flows;
  for (std::uint32_t slice = 0; slice < slices_; ++slice) {
    for (std::uint32_t number = 0; number < pieces_; ++number) {
      flows.clear();
      for (std::uint32_t server = 0; server < shape_.servers(); ++server)
        AllOfServer({slice, number}, server, &flows);
      AllBetween({slice, number}, &flows);
      for (const GroupFlow& flow : flows) visit(flow);
    }
  }
}

void MultimemTreeSchedule::VisitLike(const Flows& flows, std::uint32_t slice, std::uint32_t first,
                                     std::uint32_t step,
                                     const std::function<void(const FlowBundle&)>& visit) const {
  const ByteRange whole = PartOf({0, bytes_}, slices_, slice);
  const std::int64_t least = whole.bytes / pieces_;  // pieces differ by a byte at most
  std::uint64_t count = 0, large = 0;
  for (std::uint32_t number = first; number < pieces_; number += step) {
    ++count;
    if (PartOf(whole, pieces_, number).bytes > least) ++large;
  }
  for (const GroupFlow& flow : flows) {
    if (flow.connection == Connection::kNvlsRequest) {
      visit({flow.source, flow.destination, 0, count});
      continue;
    }
    visit({flow.source, flow.destination, least, count - large, flow.channel});
    visit({flow.source, flow.destination, least + 1, large, flow.channel});
  }
}

void MultimemTreeSchedule::ForEachBundle(
    const std::function<void(const FlowBundle&)>& visit) const {
  Flows flows;
  for (std::uint32_t slice = 0; slice < slices_; ++slice) {
    for (std::uint32_t server = 0; server < shape_.servers(); ++server) {
      const std::uint32_t switches = shape_.nvswitches(server);
      for (std::uint32_t first = 0; first < std::min(switches, pieces_); ++first) {
        flows.clear();
        AllOfServer({slice, first}, server, &flows);
        VisitLike(flows, slice, first, switches, visit);
      }
    }
    for (std::uint32_t first = 0; first < std::min(tree_->period(), pieces_); ++first) {
      flows.clear();
      AllBetween({slice, first}, &flows);
      VisitLike(flows, slice, first, tree_->period(), visit);
    }
  }
}

}  // namespace heddle
