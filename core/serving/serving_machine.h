// SPDX-License-Identifier: GPL-2.0-only
/// Runs some instances of a plan: what happens in them, in the order of time.
///
/// Without a router requests are given to the instances in turn, to prefill and decode instances
/// each by themselves (round robin, as vLLM's proxy). So every machine knows the instances of each
/// request. With a router (ServingPlan::has_router()) all requests come to the machine of its
/// instance, which tells the others.
///
/// Nothing here depends on when it is called, only on the times in the calls: instances are
/// independent of each other but for their messages, and what happens to one of them at one time is
/// put into an order of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/units.h"
#include "core/serving/model/serving_request.h"
#include "core/serving/serving_instance.h"
#include "core/serving/serving_plan.h"

namespace heddle {

class StateReader;
class StateWriter;

class ServingMachine {
 public:
  /// `here`: instances to run, ascending. All must outlive it. `requests`: of all instances.
  ServingMachine(const ServingPlan& plan, const ServingRequests& requests,
                 const std::vector<std::uint32_t>& here, ServingNetwork* network);

  /// Schedules the first request of each instance.
  void Begin();
  /// Returns the time of the next event, Time::Max() if there is none.
  Time next() const { return events_.empty() ? Time::Max() : events_.front().time; }
  /// Runs all events up to `until`, which all calls below with such times have preceded.
  void RunUntil(Time until);

  /// Records that a message to an instance here arrived at `when`, after all that has run.
  void Arrived(const ServingMessage& message, Time when);
  /// Records that a share of KV from an instance here has left at `when`, likewise.
  void Left(const ServingMessage& message, Time when);

  /// Records that the step of an instance here ends at `when`, likewise
  /// (ServingNetwork::BeginStep()).
  void StepEnded(std::uint32_t instance, Time when);

  /// Saves all instances and the open events, these in their order.
  void Save(StateWriter* to) const;
  /// Loads what Save() wrote, after Begin(). Throws UserError for what no run of this plan and
  /// these requests can have saved.
  void Load(StateReader* from);
  /// Returns memory in bytes, itself included.
  std::size_t memory() const;

  const std::vector<ServingInstance>& instances() const { return instances_; }
  /// Requests that have not come to the instances here, or to the router.
  std::uint64_t not_arrived() const;
  /// The router, if it is here; null: it is elsewhere, or there is none.
  const ServingRouter* router() const { return router_ ? &*router_ : nullptr; }
  /// Time of the last event that has run.
  Time now() const { return now_; }

 private:
  struct Event {
    /// The order of what happens at one time in an instance.
    enum class Kind : std::uint8_t { kRequest, kMessage, kLeft, kPart, kStepEnd };
    Time time;
    std::uint32_t slot = 0;  ///< of instances_; behind them: the router
    Kind kind = Kind::kRequest;
    ServingMessage message;  ///< of kRequest: the request alone; of kPart: its number as share

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& time& slot& kind& message;
    }
  };
  /// Whether `a` comes after `b`.
  static bool IsLater(const Event& a, const Event& b);

  /// Throws UserError for an event that cannot be.
  void CheckEvent(const Event& event) const;
  std::uint32_t SlotOf(std::uint32_t instance) const;
  std::uint32_t router_slot() const { return static_cast<std::uint32_t>(instances_.size()); }
  /// How many requests further the next one of a slot is.
  std::uint64_t stride() const { return router_ ? 1 : entries_.size(); }
  /// What happens to the router: a request comes, or has ended somewhere.
  void HandleRouter(const Event& event);
  void HandleRequest(const Event& event);
  void Push(const Event& event);
  Event Pop();
  void Handle(const Event& event);
  /// Schedules the request that follows `request` at its instance; the instance's first one
  /// without.
  void PushRequest(std::uint32_t slot, std::uint64_t request);

  const ServingPlan& plan_;
  const ServingRequests& requests_;
  ServingNetwork* network_;
  std::vector<std::uint32_t> entries_, decoders_;
  std::vector<ServingInstance> instances_;
  std::optional<ServingRouter> router_;
  std::vector<std::uint64_t> next_request_;  ///< by slot; requests_.size() or more: none is left
  std::vector<Event> events_;                ///< a heap, the earliest first
  Time now_{-1};
};

}  // namespace heddle
