// SPDX-License-Identifier: GPL-2.0-only
/// The interface for collectives that are replayed whole: a transport that knows what becomes of
/// all messages of a collective does not take them one by one, but notifies its participants of
/// their ends.
///
/// What GPUs do in a collective is then a function of what they had posted when its first message
/// was due, and of what the transport reports to them. AddState() names the former. A transport
/// that must return to single messages, in the middle of a collective, takes the ends back, puts
/// the first messages where they were, and runs again through all that it has reported since.
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
  /// Returns the collective of a message that the agent posted.
  virtual CollectiveName CollectiveOf(const FlowCookie& cookie) const = 0;
  /// Returns the GPUs that take part, by rank. Empty if it cannot be replayed whole: not all of
  /// them are in one server and in this domain, or others than GPUs take part.
  virtual std::vector<NodeId> MembersOf(const CollectiveName& name) = 0;
  /// Appends what decides on the collective's messages, apart from the notices of them. Two
  /// collectives of equal words, whose members are alike, post equal messages when they get equal
  /// notices. Times count from `origin`. Returns false unless all members have begun and no message
  /// of theirs was reported. Requires members.
  virtual bool AddState(const CollectiveName& name, Time origin,
                        std::vector<std::uint64_t>* words) = 0;
  /// Ends the participation of `node` at `when`; no message of it is reported.
  virtual void EndWhole(const CollectiveName& name, NodeId node, Time when) = 0;
  /// Forgets the ended participations; no further message of theirs will be reported.
  virtual void ForgetWhole(const CollectiveName& name) = 0;
  /// Lets them take part once more, from their beginning, with a notice of every message. Their end
  /// is not noted again.
  virtual void TakeBackEnds(const CollectiveName& name) = 0;

 protected:
  ~WholeCollectives() = default;
};

}  // namespace heddle
