// SPDX-License-Identifier: GPL-2.0-only
/// The central controller: a domain of its own that chooses the source ports of flows, so that
/// their paths share no link.
///
/// Source: the ECMP controller's specification, sections 3 to 5. Added here: the control network
/// has a latency; the controller may take time for each request; several flows may share a link; if
/// no path is free, the least loaded one can be taken; when routes change, paths that they
/// invalidate are given up and their flows get new ones (docs/models/controller.md).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/containers/state_count.h"
#include "core/events/domain.h"
#include "core/events/post_office.h"
#include "transport/domain/state/fabric_context.h"
#include "transport/model/paths/link_shares.h"
#include "transport/model/paths/path_search.h"
#include "transport/model/wire/path_messages.h"

namespace heddle {

/// One choice. The values of the enums are part of the result format (/controller/requests).
struct PathDecision {
  enum class Cause : std::uint8_t { kStart = 0, kLinksChanged = 1 };
  enum class Result : std::uint8_t { kFree = 0, kEcmp = 1, kLeastLoaded = 2 };

  RequestId id;
  NodeId destination;
  Cause cause = Cause::kStart;
  Result result = Result::kFree;
  std::uint16_t source_port = 0;  ///< 0: the host's own port
  std::uint16_t destination_port = 0;
  std::uint32_t candidates = 0;  ///< source ports that a search from 1 upwards looks at
  std::uint32_t hops = 0;        ///< of the path held; 0: none
  Time asked, decided;
  Time wait;          ///< delay of the flow's start caused by the request
  Time released{-1};  ///< -1: held to the end of the run, or never held

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& id& destination& cause& result& source_port& destination_port& candidates& hops& asked&
        decided& wait& released;
  }
};

/// Sums over a run.
struct ControllerFigures {
  std::int64_t requests = 0;  ///< requests of flows before their start
  std::int64_t moves = 0;     ///< new choices because links changed
  /// Requests and moves without a free path that were left to the host's port.
  std::int64_t ecmp = 0;
  /// Requests and moves without a free path that got the least loaded one.
  std::int64_t least_loaded = 0;
  std::int64_t late = 0;      ///< requests that delayed their flows
  Time waited, longest_wait;  ///< sum and maximum of these delays
  std::int64_t highest_port = 0;
  std::int64_t most_held = 0;  ///< most paths held at once
  std::int64_t held = 0;       ///< paths held now

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& requests& moves& ecmp& least_loaded& late& waited& longest_wait& highest_port&
        most_held& held;
  }
};

class CentralController final : public Domain {
 public:
  /// Begins with the routes of the first epoch, and learns of the others one latency after they
  /// hold. `context` and `post_office` must outlive it.
  CentralController(DomainId id, const FabricContext* context, PostOffice* post_office);

  /// Runs requests, releases and changes of routes before `end`, in their order.
  void RunUntil(Time end) override;

  const Graph& graph() const { return *context_->graph; }        ///< of the run
  const ControllerFigures& figures() const { return figures_; }  ///< so far
  /// Returns the decisions in their order; only of requests that FabricContext::sample keeps,
  /// chosen by request number.
  const std::vector<PathDecision>& decisions() const { return decisions_; }
  /// Returns the hops of all decisions' paths, concatenated; PathDecision::hops of each.
  const std::vector<HopIndex>& path_hops() const { return path_hops_; }
  /// Returns what gives a HopIndex its node and port.
  const HopNumbers& hop_numbers() const { return numbers_; }
  /// Adds its allocated memory, itself included. Excludes what searches remember (at most
  /// PathSearch::kMemoBytes).
  void AddMemory(MemoryAccount* account) const;

  /// Only state that changes during a run; the paths a search remembers are recomputed.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    SerializeBase(archive);
    archive& now_& epoch_& shares_& waiting_& figures_& decisions_& path_hops_;
    if constexpr (Archive::is_loading::value) {
      ExpectState(epoch_ < context_->epochs.size(), "routes of a failure that does not happen");
    }
    SerializePaths(archive);
    if constexpr (Archive::is_loading::value) {
      CheckLoaded();
      search_.UseRoutes(*context_->epochs[epoch_].routes);
    }
  }

 private:
  static constexpr std::uint32_t kUnrecorded = ~0U;

  /// A path that is reserved.
  struct Held {
    NodeId destination;
    std::uint16_t source_port = 0, destination_port = 0;
    std::uint32_t decision = kUnrecorded;  ///< index of its row
    BitRate demand;
    std::vector<HopIndex> hops;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& destination& source_port& destination_port& decision& demand& hops;
    }
  };
  struct Waiting {
    PathRequest request;
    PathDecision::Cause cause = PathDecision::Cause::kStart;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& request& cause;
    }
  };

  /// Saves in the order of requests, so that equal states give equal bytes.
  template <class Archive>
  void SerializePaths(Archive& archive) {
    std::map<std::uint64_t, Held> held(held_.begin(), held_.end());
    std::set<std::uint64_t> moving(moving_.begin(), moving_.end());
    archive& held& moving& lost_;
    if constexpr (Archive::is_loading::value) {
      held_.clear();  // clang 14 omits the destructors of maps that are made here
      held_.insert(held.begin(), held.end());
      moving_.clear();
      moving_.insert(moving.begin(), moving.end());
    }
  }

  /// Throws UserError "the saved state has ..." if the loaded state is inconsistent
  /// (controller_state_check.cc).
  void CheckLoaded() const;

  /// Acts on one event: new routes, a release, a request, or the end of a service.
  void RunEvent(const Event& event);
  /// Returns the record in a slot of the cargo, which is free afterwards.
  template <class Record>
  Record Take(std::uint32_t slot);
  /// Decides at once if the service time is 0; else the request waits for its turn.
  void Serve(const Waiting& waiting);
  /// Schedules the end of the service of the first request that waits.
  void BeginService();
  /// Chooses a path for a request, reserves it, writes the row, and answers. Drops a move whose
  /// flow has ended.
  void Decide(const Waiting& waiting);
  /// Chooses a path by the rules of the options, and sets found_.
  PathDecision::Result Choose(const PathRequest& request);
  /// Reserves the links of found_ for the request, but not the last hop's.
  void Hold(const PathRequest& request, PathDecision::Result result);
  /// Frees the path of a flow that has ended, or forgets that it waits for one.
  void Release(RequestId id);
  /// Frees the links of a path, and notes the time in its row.
  void GiveUp(std::uint64_t id, const Held& held);
  /// Adds the row of a decision and the hops of its path, if the sample keeps the request.
  void Write(const PathDecision& decision);
  /// Sends the source port to the host; it arrives one latency later. `remembered`: the host must
  /// report the flow's end.
  void Answer(const PathDecision& decision, bool remembered);
  /// Whether there is a path in the routes now; always true in runs without failures.
  bool HasPath(const PathRequest& request);
  /// Follows the routes of this epoch: paths that they change are given up, and chosen anew in the
  /// order of request ids.
  void ChangeRoutes(std::uint32_t epoch);
  /// Whether a path leads elsewhere or nowhere, or needs another rate, in the routes now. Sets
  /// found_.
  bool IsMoved(std::uint64_t id, const Held& held);

  const FabricContext* context_;
  PostOffice* post_office_;
  Time now_;
  std::uint32_t epoch_ = 0;  ///< of the routes in use
  HopNumbers numbers_;
  LinkShares shares_;
  PathSearch search_;
  SearchedPath found_;
  std::unordered_map<std::uint64_t, Held> held_;  ///< by RequestId::packed()
  /// Flows whose path was given up and that have no new one yet.
  std::unordered_set<std::uint64_t> moving_;
  std::map<std::uint64_t, PathRequest> lost_;  ///< flows without any path until links come back
  /// Requests in order, if the service time is not 0; the first is in service.
  std::deque<Waiting> waiting_;
  ControllerFigures figures_;
  std::vector<PathDecision> decisions_;
  std::vector<HopIndex> path_hops_;
};

}  // namespace heddle
