// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/closed_prices.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "collectives/closed_form/port_load.h"

namespace heddle {
namespace {

/// Numbers by first appearance.
class Renumbered {
 public:
  std::uint32_t Of(std::uint32_t value) {
    return numbers_.emplace(value, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

/// Returns what distinguishes the shapes of groups: of each rank its server, its place there, and
/// the switch of its first NIC. All are numbered by first appearance: which rail a group is on does
/// not count, but which of its ranks share one. Trees of switches that add turn with the place.
std::vector<std::uint32_t> PlacesOf(const Graph& graph, const NodeId* members,
                                    std::uint32_t ranks) {
  constexpr std::uint32_t kNone = ~0U;
  Renumbered servers, rails, edges;
  std::vector<std::uint32_t> places;
  places.reserve(3 * ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const NodeId gpu = members[rank];
    const std::uint32_t place = graph.PlaceInServer(gpu);
    std::uint32_t edge = kNone;
    for (const Attachment& port : graph.ports(gpu)) {
      if (graph.kind(port.peer) != NodeKind::kSwitch) continue;
      edge = edges.Of(port.peer.value);
      break;
    }
    places.insert(places.end(), {servers.Of(graph.ServerOf(gpu)),
                                 graph.switches_add() ? place : rails.Of(place), edge});
  }
  return places;
}

CollectiveSpec SpecOf(const CollectiveCall& call) {
  return {call.operation, call.group_type, call.bytes, call.root, call.peer, call.sizes};
}

}  // namespace

ClosedPrices::ClosedPrices(const Graph& graph, const CollectiveOptions& options,
                           const WireFigures& wire, std::unique_ptr<Calibration> calibration)
    : calibration_(std::move(calibration)), fabric_(graph, options, wire, calibration_.get()) {}

std::string ClosedPrices::Describe() const {
  std::string text =
      "transport        analytical: every collective takes what a closed form gives it; no "
      "packets, queues or collisions\n";
  if (calibration_ != nullptr)
    text += "calibrated       " + calibration_->Describe() + "; others by their closed form\n";
  return text;
}

std::uint32_t ClosedPrices::ShapeOf(const CollectiveCall& call) {
  const GroupKey key{call.name.job, call.group_type, call.name.group};
  const auto known = shape_of_group_.find(key);
  if (known != shape_of_group_.end()) return known->second;
  const auto [place, is_new] =
      shape_of_places_.emplace(PlacesOf(fabric_.graph(), call.members, call.ranks),
                               static_cast<std::uint32_t>(shapes_.size()));
  if (is_new)
    shapes_.push_back(std::make_unique<GroupShape>(
        fabric_.graph(), std::vector<NodeId>(call.members, call.members + call.ranks)));
  shape_of_group_.emplace(key, place->second);
  return place->second;
}

void ClosedPrices::ForgetGroups() {
  shape_of_group_.clear();
  for (auto price = prices_.begin(); price != prices_.end();)
    price = price->first.second.sizes == nullptr ? std::next(price) : prices_.erase(price);
}

const ClosedPrices::Priced& ClosedPrices::Known(const CollectiveCall& call) {
  const std::uint32_t shape = ShapeOf(call);
  const CollectiveSpec spec = SpecOf(call);
  const PriceKey key{shape, spec};
  const auto known = prices_.find(key);
  if (known != prices_.end()) return known->second;
  Priced priced;
  priced.parts = fabric_.PartsOf(spec, *shapes_[shape]);
  priced.price = fabric_.PriceOf(spec, *shapes_[shape], priced.parts);
  return prices_.emplace(key, std::move(priced)).first->second;
}

Time ClosedPrices::PriceOf(const CollectiveCall& call) {
  const double picoseconds = WholePriceOf(call).seconds * 1e12;
  return Time{std::max<std::int64_t>(std::llround(picoseconds), 1)};
}

Time ClosedPrices::BusyTimeOf(const CollectiveCall& call) {
  const double picoseconds = PartsOf(call).ports * 1e12;
  return std::min(PriceOf(call), Time{std::llround(picoseconds)});
}

void ClosedPrices::ForEachConnection(const CollectiveCall& call, const Visit& visit) {
  const GroupShape& shape = *shapes_[ShapeOf(call)];
  const auto node = [&](Participant p) { return shape.is_rank(p) ? call.members[p] : NodeId(); };
  fabric_.ForEachBundle(SpecOf(call), shape, [&](const FlowBundle& bundle, std::int64_t bytes) {
    if (bytes == 0) return;
    visit({node(bundle.source), node(bundle.destination), bundle.channel, bytes,
           StaysInside(shape, bundle.source, bundle.destination)});
  });
}

}  // namespace heddle
