// SPDX-License-Identifier: GPL-2.0-only
/// Checks that the controller's state from a checkpoint is consistent, as StateCheck
/// (transport/domain/fabric_domain) does for the other domains.
#include <cstring>
#include <vector>

#include "core/containers/state_count.h"
#include "transport/run/controller/central_controller.h"

namespace heddle {

void CentralController::CheckLoaded() const {
  const Graph& graph = *context_->graph;
  const auto ends = [&](NodeId source, NodeId destination) {
    ExpectState(graph.is_gpu(source) && graph.is_gpu(destination) && source != destination,
                "a path between no GPUs");
  };
  const auto hops_exist = [&](const std::vector<HopIndex>& hops) {
    for (const HopIndex hop : hops)
      ExpectState(hop < numbers_.count(), "a path over a link that does not exist");
  };
  std::vector<bool> cargo = cargo_.used_slots();
  std::size_t in_service = 0;
  for (const Event& event : queue_.Sorted()) {
    const std::uint32_t kind = EventOrder(event.order).kind();
    ExpectState(kind <= ControllerEvent::kServed, "an event of something that does not exist");
    if (kind == ControllerEvent::kRoutes)
      ExpectState(event.argument < context_->epochs.size(),
                  "routes of a failure that does not happen");
    if (kind == ControllerEvent::kServed) ++in_service;
    if (kind != ControllerEvent::kRelease && kind != ControllerEvent::kRequest) continue;
    ExpectState(event.argument < cargo.size() && cargo[event.argument],
                "a request that does not exist, or comes twice");
    cargo[event.argument] = false;
    if (kind == ControllerEvent::kRelease) continue;
    PathRequest request;
    std::memcpy(static_cast<void*>(&request), cargo_[event.argument].bytes, sizeof request);
    ends(request.id.source, request.destination);
  }
  ExpectState(in_service == (waiting_.empty() ? 0 : 1), "a request in service that does not wait");
  for (const Waiting& waiting : waiting_)
    ends(waiting.request.id.source, waiting.request.destination);
  for (const auto& [id, request] : lost_) ends(request.id.source, request.destination);
  for (const auto& [id, held] : held_) {
    ends(NodeId(static_cast<std::uint32_t>(id >> 32)), held.destination);
    hops_exist(held.hops);
    const bool recorded = held.decision == kUnrecorded || held.decision < decisions_.size();
    ExpectState(recorded && held.demand.bps > 0, "a path that nobody chose");
  }
  for (const std::uint64_t id : moving_)
    ExpectState(graph.is_gpu(NodeId(static_cast<std::uint32_t>(id >> 32))), "a path of no GPU");
  std::size_t hops = 0;
  for (const PathDecision& decision : decisions_) {
    ends(decision.id.source, decision.destination);
    hops += decision.hops;
  }
  ExpectState(hops == path_hops_.size(), "paths of another length");
  hops_exist(path_hops_);
}

}  // namespace heddle
