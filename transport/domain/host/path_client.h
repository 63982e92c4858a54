// SPDX-License-Identifier: GPL-2.0-only
/// The hosts' side of the central controller: a flow whose source port matters asks for one, starts
/// when the answer is there and its software latency is over, may be given another while it runs,
/// and says when it has ended.
///
/// The ECMP controller's specification calls the controller when the software hands a flow over,
/// and gets the answer in no time. Here the question takes the latency of the control network from
/// that moment on, and so does the answer. Questions, answers and ends are all late by the same
/// latency, so a controller that takes no time for a request decides the same as if it had heard of
/// all at once. A flow file has no software latency: its flows ask when they are to start, and wait
/// for the answer.
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
  /// What follows from an answer; nothing, one or the other.
  struct Answered {
    std::optional<FlowHeap::Item> start;  ///< a message that has all its answers now
    std::uint32_t queue_pair = kNone;     ///< goes on with `source_port`
    std::uint16_t source_port = 0;
  };
  /// `slot`: of the cargo, a PathAnswer's. It is free afterwards.
  Answered TakeAnswer(DomainState& state, std::uint32_t slot);
  /// A queue pair starts with a grant. Returns its source port: `own_port` if the controller has
  /// none for it.
  std::uint16_t Use(std::uint32_t grant, std::uint32_t queue_pair, std::uint16_t own_port);
  /// The flow has ended: forgets the grant, and tells the controller if that remembers it.
  void GiveBack(DomainState& state, std::uint32_t grant);

  /// Of the message's next queue pair; kNone: this is the last one's.
  std::uint32_t Next(std::uint32_t grant) const { return grants_[grant].next; }
  std::uint32_t RequestOf(std::uint32_t grant) const { return grants_[grant].id.number; }
  /// Paths that the controller holds for flows of this domain, as far as it knows.
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

  void AddMemory(MemoryAccount* account) const;

  /// Finds out, in a loaded state, whether each grant has one owner. Throws UserError "the saved
  /// state has ...".
  class Claims {
   public:
    /// `client` outlives it.
    explicit Claims(const PathClient& client);
    /// By a queue pair of `source` that has started.
    void ClaimStarted(std::uint32_t grant, std::uint32_t queue_pair, NodeId source);
    /// By a message of `source` for a queue pair that may start yet.
    void ClaimUnused(std::uint32_t grant, NodeId source);
    /// By a message that has not started. Returns how many have no answer yet.
    std::uint32_t ClaimMessage(std::uint32_t first);
    bool claimed(std::uint32_t grant) const { return !free_[grant]; }

   private:
    void Claim(std::uint32_t grant);

    const PathClient& client_;
    std::vector<bool> free_;  ///< used and not claimed yet
  };
  /// Of what was loaded, when all others have claimed theirs: throws UserError "the saved state has
  /// ...". `check_post` does so for the post of a message.
  void Check(const DomainState& state, Claims* claims,
             const std::function<void(const FlowPost&, const Node&)>& check_post) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& grants_& index_& asking_;
  }

 private:
  std::uint32_t SendRequest(DomainState& state, const PathRequest& request);
  template <class Question>
  static void SendToController(DomainState& state, Time at, const Question& question);
  FlowHeap::Item TakeMessage(std::uint32_t message, Time now);
  /// The source port of a flow that starts, or goes on, with this grant.
  std::uint16_t PortOf(std::uint32_t grant) const;

  SlotPool<PathGrant> grants_;
  FlatMap index_;  ///< RequestId::packed() to a slot of grants_
  SlotPool<AskingMessage> asking_;
};

}  // namespace heddle
