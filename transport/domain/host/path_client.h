// SPDX-License-Identifier: GPL-2.0-only
/// The hosts' side of the central controller: a flow whose source port matters asks for one, starts
/// when the answer is there and its software latency is over, may be given another while it runs,
/// and reports when it has ended.
///
/// The ECMP controller's specification calls the controller when the software hands a flow over,
/// and gets the answer in no time. Here the question takes the latency of the control network from
/// that moment on, and so does the answer. Questions, answers and ends are all late by the same
/// latency, so a controller that takes no time for a request decides the same as if it had learned
/// of all at once. A flow file has no software latency: its flows ask when they are to start, and
/// wait for the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "core/traffic/flow_agent.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/path_grant.h"
#include "transport/model/nic/posted_flows.h"

namespace heddle {

/// The grants of a domain's flows. `grant` is a slot of them.
class PathClient {
 public:
  using Node = DomainState::Node;
  static constexpr std::uint32_t kNone = PathGrant::kNone;

  /// Whether the controller is asked about a flow whose software hands it over at `asked`.
  static bool Asks(const FabricContext& context, NodeId source, NodeId destination, Time asked);

  /// Asks for a source port for each of the message's `parts` queue pairs. `next_request` numbers
  /// the requests of its source, unless the post has numbers.
  void Ask(DomainState& state, const FlowPost& flow, std::int64_t parts,
           std::uint32_t* next_request);
  /// What follows from an answer: nothing, a start, or another source port.
  struct Answered {
    std::optional<FlowHeap::Item> start;  ///< a message that has all its answers now
    std::uint32_t queue_pair = kNone;     ///< goes on with `source_port`
    std::uint16_t source_port = 0;
  };
  /// Takes a PathAnswer of the controller. `slot`: of the cargo; it is free afterwards.
  Answered TakeAnswer(DomainState& state, std::uint32_t slot);
  /// Notes the queue pair that starts with a grant. Returns its source port: `own_port` if the
  /// controller has none for it.
  std::uint16_t Use(std::uint32_t grant, std::uint32_t queue_pair, std::uint16_t own_port);
  /// Forgets the grant of a flow that has ended, and notifies the controller if that remembers it.
  void GiveBack(DomainState& state, std::uint32_t grant);

  /// Returns the grant of the message's next queue pair; kNone: this is the last one's.
  std::uint32_t Next(std::uint32_t grant) const { return grants_[grant].next; }
  /// Returns the number of the request, for the flow's row.
  std::uint32_t RequestOf(std::uint32_t grant) const { return grants_[grant].id.number; }
  /// Returns the paths that the controller holds for flows of this domain, as far as it knows.
  std::size_t HeldPaths() const;
  /// Calls visit(flow, first grant) for each message that waits for an answer.
  template <class Visit>
  void ForEachAsking(const Visit& visit) const {
    for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {
      const PathGrant& grant = grants_[slot];
      if (!grant.id.source.valid() || grant.message == kNone) continue;
      const AskingMessage& message = asking_[grant.message];
      if (message.first_grant == slot) visit(message.flow, slot);
    }
  }

  /// Adds the bytes of grants and waiting messages to Structure::kController.
  void AddMemory(MemoryAccount* account) const;

  /// Finds out, in a loaded state, whether each grant has one owner. Throws UserError "the saved
  /// state has ...".
  class Claims {
   public:
    /// Starts with nothing claimed. `client` outlives it.
    explicit Claims(const PathClient& client);
    /// Claims the grant of a queue pair of `source` that has started.
    void ClaimStarted(std::uint32_t grant, std::uint32_t queue_pair, NodeId source);
    /// Claims a grant that a message of `source` has for a queue pair that may start yet.
    void ClaimUnused(std::uint32_t grant, NodeId source);
    /// Claims all grants of a message that has not started. Returns how many have no answer yet.
    std::uint32_t ClaimMessage(std::uint32_t first);
    /// Whether a grant has an owner; free slots count as claimed.
    bool claimed(std::uint32_t grant) const { return !free_[grant]; }

   private:
    /// Throws if the grant is free or claimed already.
    void Claim(std::uint32_t grant);

    const PathClient& client_;
    std::vector<bool> free_;  ///< used and not claimed yet
  };
  /// Checks what was loaded, when all others have claimed theirs: throws UserError "the saved state
  /// has ...". `check_post` does so for the post of a message.
  void Check(const DomainState& state, Claims* claims,
             const std::function<void(const FlowPost&, const Node&)>& check_post) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& grants_& index_& asking_;
  }

 private:
  /// Sends a request, which arrives the controller's latency after it was made. Returns the slot of
  /// its grant.
  std::uint32_t SendRequest(DomainState& state, const PathRequest& request);
  /// Sends a request or a release so that it arrives at `at`.
  template <class Question>
  static void SendToController(DomainState& state, Time at, const Question& question);
  /// Returns a message that has all its answers, to start now or at its own start if that is later.
  FlowHeap::Item TakeMessage(std::uint32_t message, Time now);
  /// Returns the source port of a flow that starts, or goes on, with this grant.
  std::uint16_t PortOf(std::uint32_t grant) const;

  SlotPool<PathGrant> grants_;
  FlatMap index_;  ///< RequestId::packed() to a slot of grants_
  SlotPool<AskingMessage> asking_;
};

}  // namespace heddle
