// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/ideal_time.h"

#include <algorithm>

#include "core/base/memory_account.h"
#include "topology/routes/ecmp_hash.h"
#include "transport/model/wire/wire_time.h"

namespace heddle {

IdealTimes::IdealTimes(const Graph& graph, const std::vector<RouteEpoch>& epochs,
                       const std::vector<LinkEvent>& events, const Sizes& sizes)
    : graph_(graph),
      epochs_(epochs),
      sizes_(sizes),
      first_switch_(graph.gpu_count()),
      suffixes_(std::size_t{epochs[0].routes->class_count()} * (graph.node_count() - first_switch_),
                kUnknown),
      known_(16 * std::size_t{graph.gpu_count()}) {
  for (const LinkEvent& event : events) {
    if (event.kind != LinkEvent::Kind::kRate || event.rate.bps <= graph.link(event.link).rate.bps)
      continue;
    BitRate& highest = raised_[event.link];
    highest = std::max(highest, event.rate);
  }
  access_.reserve(graph.gpu_count());
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu)
    access_.push_back(FindAccess(NodeId(gpu)));
}

IdealTimes::Hop IdealTimes::FindAccess(NodeId gpu) const {
  Hop access{};
  for (const Attachment& port : graph_.ports(gpu)) {
    if (!epochs_[0].routes->is_core(port.peer)) continue;
    const Hop hop = HopOf(port);
    if (access.rate.bps != 0 && !(access == hop)) return {};
    access = hop;
  }
  return access;
}

IdealTimes::Hop IdealTimes::HopOf(const Attachment& port) const {
  const Link& link = graph_.link(port.link);
  const auto raised = raised_.empty() ? raised_.end() : raised_.find(port.link);
  return {raised == raised_.end() ? link.rate : raised->second, link.delay};
}

std::size_t IdealTimes::EpochAt(Time time) const {
  const auto later =
      std::upper_bound(epochs_.begin() + 1, epochs_.end(), time,
                       [](Time t, const RouteEpoch& epoch) { return t < epoch.time; });
  return static_cast<std::size_t>(later - epochs_.begin()) - 1;
}

std::uint16_t IdealTimes::Intern(const Path& path) {
  const auto known = std::find(paths_.begin(), paths_.end(), path);
  const auto index = static_cast<std::size_t>(known - paths_.begin());
  constexpr std::size_t kMostPaths = 1000;  // a fabric has a few; others are followed hop by hop
  if (index >= kMostPaths) return kVaries;
  if (known == paths_.end()) paths_.push_back(path);
  return static_cast<std::uint16_t>(kFirstPath + index);
}

std::uint16_t IdealTimes::SuffixOf(NodeId node, std::uint32_t cls) {
  const std::size_t switches = graph_.node_count() - first_switch_;
  const std::size_t at = cls * switches + (node.value - first_switch_);
  if (suffixes_[at] == kUnknown) {
    const std::uint16_t found = FindSuffix(node, cls);
    suffixes_[at] = found;
  }
  return suffixes_[at];
}

std::uint16_t IdealTimes::FindSuffix(NodeId node, std::uint32_t cls) {
  const Routes& routes = *epochs_[0].routes;
  if (!routes.is_core(node)) return kVaries;
  const std::uint32_t hops = routes.HopsToClass(node, cls);
  if (hops == 1) return Intern({});
  if (hops == Routes::kUnreachable) return kVaries;
  std::vector<PortId> ports;
  routes.NextHopsToClass(node, cls, &ports);
  // Equal paths have equal first hops and equal rests, as those are interned.
  Hop first{};
  std::uint16_t rest = kUnknown;
  for (const PortId port : ports) {
    const Attachment& to = graph_.ports(node)[port.value];
    if (to.peer.value < first_switch_) return kVaries;
    const Hop hop = HopOf(to);
    const std::uint16_t following = SuffixOf(to.peer, cls);
    if (following == kVaries) return kVaries;
    if (rest != kUnknown && (rest != following || !(first == hop))) return kVaries;
    first = hop;
    rest = following;
  }
  if (rest == kUnknown) return kVaries;
  Path path{first};
  const Path& behind = paths_[rest - kFirstPath];
  path.insert(path.end(), behind.begin(), behind.end());
  return Intern(path);
}

bool IdealTimes::FindPath(const Flow& flow, std::size_t epoch) {
  const Routes& routes = *epochs_[epoch].routes;
  const FlowKey key =
      MakeFlowKey(flow.source, flow.destination, flow.source_port, flow.destination_port);
  const bool to_gpu = graph_.is_gpu(flow.destination);
  path_.clear();
  only_ = true;
  for (NodeId node = flow.source; node != flow.destination;) {
    const bool known = epoch == 0 && to_gpu && node.value >= first_switch_ && node != flow.source &&
                       access_[flow.destination.value].rate.bps > 0;
    const std::uint16_t suffix =
        known ? SuffixOf(node, routes.class_of(flow.destination)) : std::uint16_t{kVaries};
    if (suffix != kVaries) {
      const Path& rest = paths_[suffix - kFirstPath];
      path_.insert(path_.end(), rest.begin(), rest.end());
      path_.push_back(access_[flow.destination.value]);
      return true;
    }
    routes.NextHops(node, flow.destination, &ports_);
    if (ports_.empty()) return false;
    only_ = only_ && ports_.size() == 1;
    const std::uint32_t seed = node == flow.source ? kNicHashSeed : node.value;
    const Attachment& to = graph_.ports(node)[ports_[EcmpHash(key, seed) % ports_.size()].value];
    path_.push_back(HopOf(to));
    node = to.peer;
  }
  return true;
}

Time IdealTimes::Wire(BitRate rate, std::int64_t bytes) const {
  return WireTimeAt(rate, bytes, sizes_.truncate_ns);
}

Time IdealTimes::DataTime(const Path& path, std::int64_t payload, std::int64_t size) const {
  const std::int64_t packets = (size + payload - 1) / payload;
  const std::int64_t last = sizes_.trains.WireBytes(size - (packets - 1) * payload);
  Time delays, after;
  for (const Hop& hop : path) {
    delays = delays + hop.delay;
    after = after + Wire(hop.rate, last);
  }
  if (packets == 1) return delays + after;
  Time before, widest, longest;
  for (const Hop& hop : path) {
    const Time full = Wire(hop.rate, sizes_.trains.WireBytes(payload));
    before = before + full;
    widest = std::max(widest, full);
    longest = std::max(longest, before + widest * (packets - 2) + after);
    after = after - Wire(hop.rate, last);
  }
  return delays + longest;
}

Time IdealTimes::AckTime(const Path& path) const {
  Time sum;
  for (const Hop& hop : path) sum = sum + hop.delay + Wire(hop.rate, sizes_.ack);
  return sum;
}

Time IdealTimes::Of(const Flow& flow, Time start) {
  const std::size_t epoch = EpochAt(start);
  const Question question{{flow.source, flow.destination}, flow.size, epoch};
  if (const Time* known = known_.Find(question)) return *known;
  if (!FindPath(flow, epoch)) return Time{0};
  const bool only = only_;
  const Time there =
      DataTime(path_, sizes_.trains.PayloadOf(flow.source, flow.destination), flow.size);
  const Flow back{flow.destination, flow.source, flow.destination_port, flow.source_port, 0};
  if (!FindPath(back, epoch)) return Time{0};
  const Time ideal = there + AckTime(path_);
  if (only && only_) known_.Keep(question, ideal);
  return ideal;
}

Time IdealTimes::OfFinished(const Flow& flow, Time start, Time end, bool moved) {
  const Time ideal = Of(flow, start);
  if (!moved && EpochAt(start) == EpochAt(end)) return ideal;
  return std::min(ideal, end - start);
}

std::size_t IdealTimes::memory() const {
  return MemoryOf(access_) + MemoryOf(suffixes_) + MemoryReached(paths_) + known_.memory();
}

}  // namespace heddle
