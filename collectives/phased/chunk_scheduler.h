// SPDX-License-Identifier: GPL-2.0-only
/// Carries collectives as chunks in phases: the scheduler of each NPU decides which chunks
/// are in progress, and on which lane.
///
/// Source: ASTRA-SIM (ISPASS 2020), sections III-D and V-F, and its code where the paper is silent:
/// 1. A collective (set) is cut into chunks of one priority. Newer sets come first (LIFO), or older
///    ones; sets that CollectiveCall::highest names come before all others.
/// 2. Chunks wait in the ready list. They are issued while fewer than a threshold are in their
///    first phase.
/// 3. Each dimension's lanes have a queue each. A chunk takes them in turn, chosen when the set
///    begins. A lane works on a few chunks at once; the others wait in order of priority.
/// 4. A phase starts with an endpoint delay and the first message. When a message has arrived and
///    it is its turn, an endpoint delay and the next message follow, or the end of the phase.
/// 5. A set ends at an NPU when all its chunks have ended there.
/// Decisions are each NPU's own. ASTRA-SIM's code lets a chunk enter a phase, and be issued, only
/// when all NPUs are ready; in symmetric systems, where all NPUs are always equally far, that is
/// the same. Not modelled: the reduction's time, chunks of several sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/phased/npu_scheduler.h"
#include "collectives/phased/phase_plan.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class StateReader;
class StateWriter;

/// Schedules the chunks of one domain's NPUs.
class ChunkScheduler final : public CollectiveCarrier, private NpuActions {
 public:
  using Completed = std::function<void(const CollectiveName&, NodeId, Time)>;
  using DelayedCall =
      std::function<void(const CollectiveName&, std::uint32_t phase, const PhaseDelays&)>;

  /// `planner` and `port` must outlive it. `completed` is called at the time that it names,
  /// `delayed` with NpuActions::Delayed().
  ChunkScheduler(const PhasePlanner* planner, FlowPoster* port, const std::vector<NodeId>& npus,
                 Completed completed, DelayedCall delayed);

  /// Begins the call at its NPU, which must be one of these; at once if its start is before the
  /// domain's clock, as notices of messages between two ranks are late.
  void Begin(const CollectiveCall& call) override;
  bool concurrent() const override { return true; }
  bool carries_messages() const override { return false; }
  /// Returns when Woken() is to be called next; Time::Max() if nothing is asked for.
  Time next_wake() const { return wakes_.empty() ? Time::Max() : *wakes_.begin(); }
  /// Returns the times at which Woken() is to be called.
  const std::set<Time>& wakes() const { return wakes_; }
  /// Hands a message, whose cookie is a PhasedName, to its NPU.
  void Received(const FlowCookie& cookie, Time when);
  /// Does all actions of the earliest of wakes() and before.
  void Woken();
  /// Whether the collective has this message.
  bool Has(const CollectiveCall& call, const PhasedName& name) const;
  bool has(NodeId npu) const { return Find(npu) != nullptr; }  ///< this domain has the NPU
  /// FlowAgent::Awaits.
  bool Awaits(const std::vector<Time>& wakes) const;

  /// Returns the call of a collective by an NPU; nothing if there is no such collective, or the NPU
  /// takes no part in it.
  using FindCall = std::function<std::optional<CollectiveCall>(const CollectiveName&, NodeId npu)>;
  /// Writes the NPUs' states, their actions and wakes().
  void Save(StateWriter* to) const;
  /// Replaces the state by a saved one. Throws UserError "the saved state has ...".
  void Load(StateReader* from, const FindCall& find_call);
  /// Appends where the chunks stand that have begun.
  void AddStands(std::vector<ChunkStand>* to) const {
    for (const auto& npu : npus_) npu->AddStands(to);
  }
  std::size_t memory() const;  ///< with the NPUs' [byte]

 private:
  /// Keeps the action, and asks for a wake unless one is due at `when`.
  void At(Time when, const NpuAction& action) override;
  void Post(const FlowPost& post) override { port_->Post(post); }
  void Ended(const CollectiveName& name, NodeId npu, Time when) override {
    completed_(name, npu, when);
  }
  void Delayed(const CollectiveName& name, std::uint32_t phase,
               const PhaseDelays& delays) override {
    delayed_(name, phase, delays);
  }
  NpuScheduler* Find(NodeId npu) const;  ///< null: not of this domain
  /// Returns the dimensions of the call's group, computed at its first call. Throws UserError as
  /// PhasePlanner::DimensionsOf().
  std::uint32_t DimensionsOf(const CollectiveCall& call) const;

  const PhasePlanner& planner_;
  FlowPoster* port_;
  Completed completed_;
  DelayedCall delayed_;
  std::vector<std::unique_ptr<NpuScheduler>> npus_;  ///< by id, ascending
  /// Dimensions of groups, by job, type and group: groups of one type may lie in different ones.
  /// Computed once each.
  mutable std::map<std::tuple<std::uint16_t, GroupType, std::uint32_t>, std::uint32_t> dimensions_;
  std::set<std::pair<Time, NpuAction>> actions_;
  std::set<Time> wakes_;
};

}  // namespace heddle
