// SPDX-License-Identifier: GPL-2.0-only
/// A collective as messages between participants, never written out: a schedule answers what a
/// participant may send when a message arrives, by arithmetic, in O(ranks) memory for all ranks
/// together.
///
/// A ring AllReduce over 1,920 ranks has 7.4 million messages a channel; nobody may hold them. The
/// explicit list (explicit_flows.h) is made by asking for each message in turn, for people and for
/// tests.
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_SCHEDULE_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "core/traffic/workload.h"

namespace heddle {

/// What a message is for; SimAI's conn_type; of PXN the three phases in the description of SimAI's
/// communication stack.
enum class Connection : std::uint8_t {
  kRing,      ///< along a ring or chain
  kTreeUp,    ///< towards the root, reducing
  kTreeDown,  ///< from the root
  kNvlsUp,    ///< GPU to NVSwitch
  kNvlsDown,  ///< NVSwitch to GPU
  kDirect,    ///< straight from the first to the last
  kPxnInit,   ///< over NVLink to the GPU of the same server on the destination's rail
  kPxnNet,    ///< between servers, on one rail
  kPxnFinal,  ///< over NVLink from the GPU on the source's rail
};
/// "RING", "TREE_UP", "NVLS_UP", "DIRECT", "PXN_INIT", "PXN_NET", "PXN_FINAL", ...
const char* ToText(Connection connection);

/// One message of a collective. Its name is (connection, channel, chunk, source, destination); the
/// rest follows from it.
struct GroupFlow {
  Participant source = 0, destination = 0;
  std::uint32_t chunk =
      0;  ///< ring: the step; trees, chains and NVLS: the piece of the channel's data
  std::uint16_t channel = 0;
  Connection connection = Connection::kRing;
  bool reduced = false;     ///< its sender had to reduce before it could send (costs memory time)
  bool reduces = false;     ///< the receiver adds it to what it has; otherwise it replaces it
  std::int64_t offset = 0;  ///< first byte of the operation's buffer that it carries
  std::int64_t bytes = 0;   ///< that it carries; 0 is possible where there is less data than ranks

  /// What goes over the wire: an empty message still has to arrive.
  std::int64_t wire_bytes() const { return bytes > 0 ? bytes : 1; }
  bool same_as(const GroupFlow& other) const {
    return source == other.source && destination == other.destination && chunk == other.chunk &&
           channel == other.channel && connection == other.connection;
  }
};

/// Messages with the same ends and size.
struct FlowBundle {
  Participant source = 0, destination = 0;
  std::int64_t bytes = 0;  ///< of each, as GroupFlow::bytes
  std::uint64_t count = 0;
};

/// Messages that a participant sends and gets in the whole collective.
struct FlowCounts {
  std::uint64_t sends = 0, receives = 0;
};

class Schedule {
 public:
  virtual ~Schedule() = default;

  /// Messages of all participants.
  virtual std::uint64_t flow_count() const = 0;
  virtual std::uint32_t channels() const = 0;
  /// Chunks of a channel: as in SimAI, a ring's steps.
  virtual std::uint32_t chunk_count() const = 0;
  /// What `p` has to send and to get. Constant time.
  virtual FlowCounts CountsOf(Participant p) const = 0;

  /// Append what `p` may send as soon as it takes part: messages without parents that wait for no
  /// earlier piece, in the order in which they are issued.
  virtual void Begin(Participant p, std::vector<GroupFlow>* out) const = 0;
  /// Append the children of a message: those that its destination may send once it and their other
  /// parents have arrived. Of `arrived` only the name is looked at.
  virtual void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const = 0;
  /// How many parents a message has: what must have arrived at its source first. Only the name is
  /// looked at.
  virtual std::uint32_t ParentCount(const GroupFlow& flow) const = 0;
  /// Append the parents of a message.
  virtual void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const = 0;
  /// Append what waits for nothing but that `sent` has left its source (later pieces to the same
  /// peer).
  virtual void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
    (void)sent, (void)next;
  }
  /// Append the message, if any, whose departure from the same source `flow` waits for.
  virtual void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
    (void)flow, (void)earlier;
  }

  /// Every message once, in SimAI's order of ids: by channel, then chunk, then source.
  virtual void ForEach(const std::function<void(const GroupFlow&)>& visit) const = 0;

  /// Every message once, those with the same ends and size together, in one bundle or several: for
  /// sums over all of them. Takes O(participants x channels) where messages are chunks of a buffer,
  /// O(messages) otherwise.
  virtual void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
    ForEach([&](const GroupFlow& flow) { visit({flow.source, flow.destination, flow.bytes, 1}); });
  }

  /// Bytes that this schedule holds.
  virtual std::size_t memory() const = 0;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_SCHEDULE_H_
