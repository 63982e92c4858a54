// SPDX-License-Identifier: GPL-2.0-only
/// The interface for collectives that are replayed whole: a transport that knows what becomes of
/// all messages of a collective does not take them one by one, but tells its participants of their
/// ends.
///
/// What GPUs do in a collective is then a function of what they had posted when its first message
/// was due, and of what the transport tells them. AddState() names the former. A transport that
/// must go back to single messages, in the middle of a collective, takes the ends back, puts the
/// first messages where they were, and lives through all that was told since.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/collective_carrier.h"

namespace heddle {

struct FlowCookie;  // core/traffic/flow_agent.h

/// What an agent of one domain knows of its GPUs' collectives.
class WholeCollectives {
 public:
  /// The collective of a message that the agent posted.
  virtual CollectiveName CollectiveOf(const FlowCookie& cookie) const = 0;
  /// The GPUs that take part, by rank. Empty if it cannot be replayed whole: not all of them are in
  /// one server and in this domain, or others than GPUs take part.
  virtual std::vector<NodeId> MembersOf(const CollectiveName& name) = 0;
  /// Appends what decides on the collective's messages, apart from what is told of them: two
  /// collectives of equal words, whose members are alike, post equal messages when they are told
  /// equal things. Times count from `origin`. Returns false unless all members have begun and been
  /// told of no message. Requires members.
  virtual bool AddState(const CollectiveName& name, Time origin,
                        std::vector<std::uint64_t>* words) = 0;
  /// The participation of `node` ended at `when`; nobody tells it of its messages.
  virtual void EndWhole(const CollectiveName& name, NodeId node, Time when) = 0;
  /// All messages of those that EndWhole() named go as they would have gone: none is told any more.
  virtual void ForgetWhole(const CollectiveName& name) = 0;
  /// They take part once more, from their beginning, and are told of every message. Their end is
  /// not noted again.
  virtual void TakeBackEnds(const CollectiveName& name) = 0;

 protected:
  ~WholeCollectives() = default;
};

}  // namespace heddle
