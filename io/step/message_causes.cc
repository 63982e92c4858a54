// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/message_causes.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Time of bytes at a rate [ps].
double TimeAt(double bytes, double bits_per_second) { return bytes * 8e12 / bits_per_second; }

bool HasColumns(const Table& table) { return !table.columns.empty(); }

}  // namespace

const char* ToText(StepCause cause) {
  static constexpr const char* kTexts[kStepCauses] = {"computing",
                                                      "one GPU computing, its group waiting",
                                                      "software latency",
                                                      "messages at line rate",
                                                      "slow link",
                                                      "collisions",
                                                      "messages of one sender at once",
                                                      "several senders to one receiver",
                                                      "retransmission timeouts",
                                                      "pauses (PFC)",
                                                      "acknowledgements in a queue",
                                                      "sending below line rate",
                                                      "collectives",
                                                      "changes of state"};
  return kTexts[static_cast<int>(cause)];
}

MessageCauses::MessageCauses(const Graph& graph, const MessageTables& tables,
                             const PortLists* paths, const std::vector<std::size_t>& asked,
                             const PathOfAcks& acks)
    : graph_(graph),
      numbers_(graph),
      tiers_(graph),
      best_of_tier_(tiers_.tiers().size(), 0.0),
      paths_(paths),
      own_ports_(tables.own_ports),
      received_(tables.received),
      src_(GetColumn<std::uint32_t>(tables.flows, "src")),
      dst_(GetColumn<std::uint32_t>(tables.flows, "dst")),
      start_(GetColumn<std::int64_t>(tables.flows, "start_ps")),
      fct_(GetColumn<std::int64_t>(tables.flows, "fct_ps")),
      came_(GetColumn<std::int64_t>(tables.flows, "received_ps")),
      ideal_(GetColumn<std::int64_t>(tables.flows, "ideal_ps")),
      size_(GetColumn<std::int64_t>(tables.flows, "size_bytes")) {
  for (HopIndex hop = 0; hop < numbers_.count(); ++hop) {
    const Hop at = numbers_.At(hop);
    double& best = best_of_tier_[tiers_.Of(at.node, graph.ports(at.node)[at.port.value].peer)];
    best = std::max(best, RateOf(hop));
  }
  if (HasColumns(tables.recovery)) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> waited;
    const auto& src = GetColumn<std::uint32_t>(tables.recovery, "src");
    const auto& number = GetColumn<std::uint32_t>(tables.recovery, "number");
    const auto& time = GetColumn<std::int64_t>(tables.recovery, "waited_ps");
    for (std::size_t i = 0; i < src.size(); ++i) waited[{src[i], number[i]}] = time[i];
    const auto& flow = GetColumn<std::uint32_t>(tables.flows, "number");
    for (const std::size_t row : asked) {
      const auto found = waited.find({src_[row], flow[row]});
      if (found != waited.end()) waited_[row] = found->second;
    }
  }
  const auto add_ports = [&](const Table& table, const auto& visit) {
    if (!HasColumns(table)) return;
    const auto& node = GetColumn<std::uint32_t>(table, "node");
    const auto& port = GetColumn<std::uint32_t>(table, "port");
    const auto& time = GetColumn<std::int64_t>(table, "paused_ps");
    for (std::size_t i = 0; i < node.size(); ++i) {
      if (node[i] < graph.node_count() && port[i] < graph.ports(NodeId(node[i])).size())
        visit(numbers_.Of(NodeId(node[i]), PortId(port[i])), time[i]);
    }
  };
  add_ports(tables.ports, [&](HopIndex hop, std::int64_t time) {
    if (time > 0) paused_[hop] = time;
  });
  add_ports(tables.pause_causes, [&](HopIndex hop, std::int64_t) {
    if (root_ == kNoHop) root_ = hop;
  });
  if (paths_ != nullptr && acks) {
    for (const std::size_t row : asked) acks_[row] = acks(row);
  }
  if (paths_ != nullptr) FindUsers(asked);
}

void MessageCauses::FindUsers(const std::vector<std::size_t>& asked) {
  slot_.assign(numbers_.count(), kNoSlot);
  const auto watch = [&](HopIndex hop) {
    if (slot_[hop] != kNoSlot) return;
    slot_[hop] = static_cast<std::uint32_t>(users_.size());
    users_.emplace_back();
  };
  for (const std::size_t row : asked) {
    for (const HopIndex hop : PathOf(row).hops) watch(hop);
  }
  for (const auto& [row, path] : acks_) {
    for (const HopIndex hop : path) watch(hop);
  }
  for (std::size_t row = 0; row < src_.size(); ++row) {
    for (const HopIndex hop : PathOf(row).hops) {
      if (slot_[hop] != kNoSlot) users_[slot_[hop]].push_back(static_cast<std::uint32_t>(row));
    }
  }
}

MessageCauses::Path MessageCauses::PathOf(std::size_t row) const {
  Path path;
  if (paths_ == nullptr) return path;
  const PortLists::Range rest = (*paths_)[row];
  if (!own_ports_.empty()) {
    path.hops.push_back(own_ports_[row]);
    path.hops.insert(path.hops.end(), rest.begin(), rest.end());
    return path;
  }
  const auto& ports = graph_.ports(NodeId(src_[row]));
  const NodeId next = rest.size() > 0 ? numbers_.At(rest[0]).node : NodeId(dst_[row]);
  for (std::uint32_t port = 0; port < ports.size(); ++port) {
    if (ports[port].peer != next) continue;
    path.hops.push_back(numbers_.Of(NodeId(src_[row]), PortId(port)));
    break;
  }
  path.hops.insert(path.hops.end(), rest.begin(), rest.end());
  return path;
}

double MessageCauses::RateOf(HopIndex hop) const {
  const Hop at = numbers_.At(hop);
  const Attachment& port = graph_.ports(at.node)[at.port.value];
  return static_cast<double>(graph_.link(port.link).rate.bps);
}

double MessageCauses::BytesDuring(std::size_t other, std::size_t row) const {
  const std::int64_t end = fct_[other] >= 0 ? start_[other] + fct_[other] : start_[row];
  const std::int64_t from = std::max(start_[other], start_[row]);
  const std::int64_t to = std::min(end, start_[row] + SpanOf(row));
  if (to <= from) return 0;
  return static_cast<double>(size_[other]) * static_cast<double>(to - from) /
         static_cast<double>(fct_[other]);
}

double MessageCauses::OthersTime(HopIndex hop, std::size_t row) const {
  double bytes = 0;
  for (const std::size_t other : users_[slot_[hop]])
    bytes += other == row ? 0 : BytesDuring(other, row);
  return TimeAt(bytes, RateOf(hop));
}

std::vector<std::pair<std::size_t, double>> MessageCauses::BytesOn(HopIndex link,
                                                                   std::size_t row) const {
  std::vector<std::pair<std::size_t, double>> found;
  if (slot_.empty() || slot_[link] == kNoSlot) return found;
  for (const std::size_t other : users_[slot_[link]]) {
    const double bytes = other == row ? 0 : BytesDuring(other, row);
    if (bytes > 0) found.emplace_back(other, bytes);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::make_pair(-a.second, a.first) < std::make_pair(-b.second, b.first);
  });
  return found;
}

void MessageCauses::AddTimeAlone(std::size_t row, const Path& path, std::int64_t alone,
                                 std::vector<CausePart>* parts) const {
  double slowest = 0, best = 0;
  HopIndex link = kNoHop;
  for (const HopIndex hop : path.hops) {
    const Hop at = numbers_.At(hop);
    const double rate = RateOf(hop);
    const double tier =
        best_of_tier_[tiers_.Of(at.node, graph_.ports(at.node)[at.port.value].peer)];
    if (link == kNoHop || rate < slowest) {
      slowest = rate;
      link = hop;
    }
    best = best == 0 ? tier : std::min(best, tier);
  }
  std::int64_t slow = 0;
  if (link != kNoHop && slowest < best) {
    const auto bytes = static_cast<double>(size_[row]);
    slow = std::min(alone, static_cast<std::int64_t>(TimeAt(bytes, slowest) - TimeAt(bytes, best)));
  }
  if (slow > 0) parts->push_back({StepCause::kSlowLink, link, slow});
  if (alone > slow) parts->push_back({StepCause::kLineRate, kNoHop, alone - slow});
}

StepCause MessageCauses::KindOf(HopIndex hop, const Path& path) const {
  if (hop == path.hops.front()) return StepCause::kOwnLink;
  return hop == path.hops.back() ? StepCause::kReceiver : StepCause::kCollision;
}

bool MessageCauses::IsPaused(const Path& path) const {
  return std::any_of(path.hops.begin(), path.hops.end(),
                     [&](HopIndex hop) { return paused_.count(hop) > 0; });
}

template <class Take>
void MessageCauses::TakeShared(std::size_t row, const Path& path, double own, std::int64_t loss,
                               const Take& take) const {
  double most = own;
  HopIndex link = kNoHop;
  for (const HopIndex hop : path.hops) {
    // If several links in a row are equally loaded, the first made the row wait.
    const double time = OthersTime(hop, row);
    if (time <= most * 1.001) continue;
    most = time;
    link = hop;
  }
  if (link == kNoHop) return;
  // Headers and the control's hesitation belong to the link, too.
  const double explained = most - own;
  const bool nearly_all = explained >= 0.8 * static_cast<double>(loss);
  take(KindOf(link, path), link, nearly_all ? loss : static_cast<std::int64_t>(explained));
}

void MessageCauses::AddLoss(std::size_t row, const Path& path, std::int64_t loss,
                            std::vector<CausePart>* parts) const {
  const auto take = [&](StepCause cause, HopIndex link, std::int64_t ps) {
    ps = std::min(ps, loss);
    if (ps > 0) parts->push_back({cause, link, ps});
    loss -= std::max<std::int64_t>(ps, 0);
  };
  const auto waited = waited_.find(row);
  if (waited != waited_.end()) take(StepCause::kTimeouts, kNoHop, waited->second);
  if (!path.hops.empty()) {
    const double own = OthersTime(path.hops.front(), row);
    take(StepCause::kOwnLink, path.hops.front(), static_cast<std::int64_t>(own));
    TakeShared(row, path, own, loss, take);
  }
  if (loss > 0 && IsPaused(path)) take(StepCause::kPauses, root_, loss);
  const HopIndex slow = loss > 0 ? LinkOfAcks(row) : kNoHop;
  if (slow != kNoHop) take(StepCause::kAcks, slow, loss);
  take(StepCause::kRate, kNoHop, loss);
}

HopIndex MessageCauses::LinkOfAcks(std::size_t row) const {
  const auto path = acks_.find(row);
  if (path == acks_.end()) return kNoHop;
  double most = 0;
  HopIndex link = kNoHop;
  for (const HopIndex hop : path->second) {
    const double time = OthersTime(hop, row);
    if (time <= most) continue;
    most = time;
    link = hop;
  }
  return 2 * most >= static_cast<double>(SpanOf(row)) ? link : kNoHop;
}

std::vector<CausePart> MessageCauses::Of(std::size_t row) const {
  const Path path = PathOf(row);
  const std::int64_t span = SpanOf(row);
  const std::int64_t way_back = received_ ? std::max<std::int64_t>(fct_[row] - came_[row], 0) : 0;
  const std::int64_t alone = std::clamp<std::int64_t>(ideal_[row] - way_back, 0, span);
  std::vector<CausePart> parts;
  AddTimeAlone(row, path, alone, &parts);
  AddLoss(row, path, span - alone, &parts);
  return parts;
}

}  // namespace heddle
