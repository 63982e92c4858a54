// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/controller/central_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle {
namespace {

NodeId SourceOf(std::uint64_t packed) { return NodeId(static_cast<std::uint32_t>(packed >> 32)); }

}  // namespace

CentralController::CentralController(DomainId id, const FabricContext* context,
                                     PostOffice* post_office)
    : Domain(id),
      context_(context),
      post_office_(post_office),
      numbers_(*context->graph),
      shares_(*context->graph, numbers_, context->options.controller.share),
      search_(*context->graph, *context->epochs[0].routes, numbers_, shares_) {
  // The controller learns of new routes as of all else: one latency later.
  for (const FaultInstant& instant : context->faults) {
    if (instant.epoch == FaultInstant::kSameRoutes) continue;
    queue_.Push({instant.time + context->options.controller.latency,
                 EventOrder(NodeId(0), PortId(0), ControllerEvent::kRoutes, instant.epoch).bits(),
                 instant.epoch, 0});
  }
}

void CentralController::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    HEDDLE_INVARIANT(event.time >= now_, fmt::format("controller: event at {} ps came after {} ps",
                                                     event.time.ps, now_.ps));
    now_ = event.time;
    ++events_;
    RunEvent(event);
  }
}

template <class Record>
Record CentralController::Take(std::uint32_t slot) {
  Record record;
  std::memcpy(static_cast<void*>(&record), cargo_[slot].bytes, sizeof record);
  cargo_.Free(slot);
  return record;
}

void CentralController::RunEvent(const Event& event) {
  switch (EventOrder(event.order).kind()) {
    case ControllerEvent::kRoutes:
      ChangeRoutes(event.argument);
      break;
    case ControllerEvent::kRelease:
      Release(Take<PathRelease>(event.argument).id);
      break;
    case ControllerEvent::kRequest:
      Serve({Take<PathRequest>(event.argument), PathDecision::Cause::kStart});
      break;
    case ControllerEvent::kServed: {
      const Waiting served = waiting_.front();
      waiting_.pop_front();
      Decide(served);
      if (!waiting_.empty()) BeginService();
      break;
    }
  }
}

void CentralController::Serve(const Waiting& waiting) {
  if (context_->options.controller.service == Time{0}) {
    Decide(waiting);
    return;
  }
  waiting_.push_back(waiting);
  if (waiting_.size() == 1) BeginService();
}

void CentralController::BeginService() {
  // Ordered after all requests of that time, so that they are in the queue.
  queue_.Push({now_ + context_->options.controller.service,
               EventOrder(NodeId(kMaxNodes - 1), PortId(0), ControllerEvent::kServed).bits(), 0,
               0});
}

void CentralController::Decide(const Waiting& waiting) {
  const PathRequest& request = waiting.request;
  const bool moves = waiting.cause == PathDecision::Cause::kLinksChanged;
  if (moves && moving_.erase(request.id.packed()) == 0)
    return;  // the flow ended while the request waited
  PathDecision decision;
  decision.id = request.id;
  decision.destination = request.destination;
  decision.destination_port = request.destination_port;
  decision.cause = waiting.cause;
  decision.result = Choose(request);
  decision.candidates = found_.candidates;
  decision.asked = request.asked;
  decision.decided = now_;
  if (!moves)
    decision.wait = std::max(Time{0}, now_ + context_->options.controller.latency - request.start);
  ++(moves ? figures_.moves : figures_.requests);
  figures_.late += decision.wait > Time{0} ? 1 : 0;
  figures_.waited += decision.wait;
  figures_.longest_wait = std::max(figures_.longest_wait, decision.wait);
  bool remembered = true;
  if (decision.result == PathDecision::Result::kEcmp) {
    ++figures_.ecmp;
    remembered = !HasPath(request);
    if (remembered) lost_.emplace(request.id.packed(), request);
  } else {
    decision.source_port = found_.source_port;
    decision.hops = static_cast<std::uint32_t>(found_.hops.size());
    figures_.least_loaded += decision.result == PathDecision::Result::kLeastLoaded ? 1 : 0;
    figures_.highest_port = std::max<std::int64_t>(figures_.highest_port, found_.source_port);
    Hold(request, decision.result);
  }
  Write(decision);
  Answer(decision, remembered);
}

bool CentralController::HasPath(const PathRequest& request) {
  // Without failures, a pair without a path is refused before the run.
  if (context_->epochs.size() == 1) return true;
  return search_.Trace(request.id.source, request.destination, PathSearch::kFirstPort,
                       request.destination_port, &found_);
}

PathDecision::Result CentralController::Choose(const PathRequest& request) {
  using Result = PathDecision::Result;
  if (search_.FindFree(request.id.source, request.destination, request.destination_port, &found_))
    return Result::kFree;
  const bool loads =
      context_->options.controller.fallback == ControllerOptions::Fallback::kLeastLoaded;
  const bool found = loads && search_.FindLeastLoaded(request.id.source, request.destination,
                                                      request.destination_port, &found_);
  return found ? Result::kLeastLoaded : Result::kEcmp;
}

void CentralController::Hold(const PathRequest& request, PathDecision::Result result) {
  Held held;
  held.destination = request.destination;
  held.source_port = found_.source_port;
  held.destination_port = request.destination_port;
  held.decision = context_->sample.KeepsKey(request.id.packed())
                      ? static_cast<std::uint32_t>(decisions_.size())
                      : kUnrecorded;
  held.demand = found_.demand;
  held.hops = found_.hops;
  for (std::size_t i = 0; i + 1 < held.hops.size(); ++i) {
    HEDDLE_INVARIANT(
        result == PathDecision::Result::kLeastLoaded || shares_.Fits(held.hops[i], held.demand),
        fmt::format("the controller gave away a link of node {} twice",
                    numbers_.At(held.hops[i]).node.value));
    shares_.Reserve(held.hops[i], held.demand);
  }
  const bool is_new = held_.emplace(request.id.packed(), std::move(held)).second;
  HEDDLE_INVARIANT(is_new, fmt::format("GPU {} asked twice for its request {}",
                                       request.id.source.value, request.id.number));
  figures_.held = static_cast<std::int64_t>(held_.size());
  figures_.most_held = std::max(figures_.most_held, figures_.held);
}

void CentralController::Release(RequestId id) {
  const auto at = held_.find(id.packed());
  if (at == held_.end()) {  // given up when links changed, without a new path so far
    moving_.erase(id.packed());
    lost_.erase(id.packed());
    return;
  }
  GiveUp(at->first, at->second);
  held_.erase(at);
  figures_.held = static_cast<std::int64_t>(held_.size());
}

void CentralController::GiveUp(std::uint64_t id, const Held& held) {
  for (std::size_t i = 0; i + 1 < held.hops.size(); ++i) shares_.Release(held.hops[i], held.demand);
  if (held.decision != kUnrecorded) decisions_[held.decision].released = now_;
}

void CentralController::Write(const PathDecision& decision) {
  if (!context_->sample.KeepsKey(decision.id.packed())) return;
  decisions_.push_back(decision);
  if (decision.hops > 0)
    path_hops_.insert(path_hops_.end(), found_.hops.begin(), found_.hops.end());
}

void CentralController::Answer(const PathDecision& decision, bool remembered) {
  static constexpr MessageTail kNoTail{};
  const PathAnswer answer{decision.id, decision.source_port, remembered};
  const DomainId to = context_->domain_of[decision.id.source.value];
  post_office_->Send(post_office_->AddressOf(to), to, now_ + context_->options.controller.latency,
                     OrderOf(answer), answer, context_->tails ? &kNoTail : nullptr);
}

void CentralController::ChangeRoutes(std::uint32_t epoch) {
  epoch_ = epoch;
  search_.UseRoutes(*context_->epochs[epoch].routes);
  std::map<std::uint64_t, PathRequest> again = std::move(lost_);
  lost_.clear();
  for (const auto& [id, held] : held_) {
    if (!IsMoved(id, held)) continue;
    PathRequest request;
    request.id = {SourceOf(id), static_cast<std::uint32_t>(id)};
    request.destination = held.destination;
    request.destination_port = held.destination_port;
    again.emplace(id, request);
  }
  for (auto& [id, request] : again) {
    request.asked = now_;
    moving_.insert(id);
    const auto at = held_.find(id);
    if (at == held_.end()) continue;
    GiveUp(id, at->second);
    held_.erase(at);
  }
  figures_.held = static_cast<std::int64_t>(held_.size());
  for (const auto& [id, request] : again) Serve({request, PathDecision::Cause::kLinksChanged});
}

bool CentralController::IsMoved(std::uint64_t id, const Held& held) {
  const bool reachable = search_.Trace(SourceOf(id), held.destination, held.source_port,
                                       held.destination_port, &found_);
  return !reachable || found_.hops != held.hops || found_.demand != held.demand;
}

void CentralController::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  std::size_t held = MemoryOfHash(held_) + MemoryOfHash(moving_) + MemoryOfTree(lost_) +
                     waiting_.size() * sizeof(Waiting);
  for (const auto& [id, path] : held_) held += MemoryOf(path.hops);
  account->Add(Structure::kController, sizeof(*this) + held + shares_.memory());
  account->Add(Structure::kRecords, MemoryOf(decisions_) + MemoryOf(path_hops_));
}

}  // namespace heddle
