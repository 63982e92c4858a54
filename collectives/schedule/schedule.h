// SPDX-License-Identifier: GPL-2.0-only
/// A collective as messages between participants, never stored as a list: a schedule computes what
/// a participant may send when a message arrives, in O(ranks) memory for all ranks together.
///
/// A ring AllReduce over 1,920 ranks has 7.4 million messages a channel, too many to store. The
/// explicit list (explicit_flows.h), for people and tests, is made by computing each message in
/// turn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/pieces.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Role of a message (SimAI's conn_type). For PXN: the three phases in the description of SimAI's
/// communication stack.
enum class Connection : std::uint8_t {
  kRing,         ///< along a ring or chain
  kTreeUp,       ///< towards the root, reducing
  kTreeDown,     ///< from the root
  kNvlsUp,       ///< GPU to NVSwitch
  kNvlsDown,     ///< NVSwitch to GPU
  kDirect,       ///< directly from the first to the last
  kPxnInit,      ///< over NVLink to the GPU of the same server on the destination's rail
  kPxnNet,       ///< between servers, on one rail
  kPxnFinal,     ///< over NVLink from the GPU on the source's rail
  kPat,          ///< over a distance of ranks, some blocks at once
  kNvlsRequest,  ///< asks an NVSwitch for a sum, and each GPU for its part
  kNvlsPull,     ///< that part, and the sum
  kNvlsStore,    ///< to an NVSwitch, and copied by it to each GPU
  kCollNetUp,    ///< to a switch that adds
  kCollNetDown,  ///< the sum, from such a switch
  kCustom,       ///< as an algorithm of a file says
};
constexpr Connection kLastConnection = Connection::kCustom;
/// "RING", "TREE_UP", "NVLS_UP", "DIRECT", "PXN_INIT", "PXN_NET", "PXN_FINAL", "PAT",
/// "NVLS_REQUEST", "NVLS_PULL", "NVLS_STORE", "COLLNET_UP",
/// "COLLNET_DOWN", "CUSTOM".
const char* ToText(Connection connection);

/// One message of a collective. Its name is (connection, channel, chunk, source, destination); the
/// other members follow from it.
struct GroupFlow {
  Participant source = 0, destination = 0;
  /// Ring: the step; trees, chains and NVLS: the piece of the channel's data; PAT: the number among
  /// the messages of its source.
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0;
  Connection connection = Connection::kRing;
  bool reduced = false;     ///< its sender had to reduce before sending (which takes memory time)
  bool answers = false;     ///< sent by hardware in answer to what arrived, without software
  bool reduces = false;     ///< the receiver adds it to its own data; otherwise replaces them
  std::int64_t offset = 0;  ///< its first byte in the operation's buffer
  /// Its size; may be 0 if there is less data than ranks. The sum if it carries several ranges
  /// (ForEachRange).
  std::int64_t bytes = 0;
  std::int64_t asked = 0;  ///< of a request: the bytes of the sum that it asks for

  /// Bytes on the wire: at least one, as an empty message must arrive, too.
  std::int64_t wire_bytes() const { return bytes > 0 ? bytes : 1; }
  /// Whether both have the same name; sizes and offsets are not compared.
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
  std::uint16_t channel = 0;  ///< of all; 0 for switches that add or multicast
};

/// Number of messages that a participant sends and receives in the whole collective.
struct FlowCounts {
  std::uint64_t sends = 0, receives = 0;
};

class Schedule {
 public:
  virtual ~Schedule() = default;

  /// Number of messages of all participants.
  virtual std::uint64_t flow_count() const = 0;
  /// Number of channels, which share the data; a channel is below it.
  virtual std::uint32_t channels() const = 0;
  /// Number of chunks of a channel: as in SimAI, a ring's steps.
  virtual std::uint32_t chunk_count() const = 0;
  /// Number of parts of a channel's data that a GPU hands on one by one: mostly its chunks.
  virtual std::uint32_t piece_count() const { return chunk_count(); }
  /// Messages that `p` sends and receives. Constant time.
  virtual FlowCounts CountsOf(Participant p) const = 0;

  /// Whether a message of this name between two participants may be one of this schedule, so that
  /// the functions below can be asked about it. Some that are none pass.
  bool MayHave(const GroupFlow& name) const {
    return name.source != name.destination && name.channel < channels() &&
           name.chunk < chunk_count() && name.connection <= kLastConnection &&
           CountsOf(name.source).sends > 0 && CountsOf(name.destination).receives > 0 &&
           Knows(name);
  }
  /// What a schedule with a table of its messages adds to that.
  virtual bool Knows(const GroupFlow& name) const {
    (void)name;
    return true;
  }

  /// Appends what `p` may send as soon as it takes part: messages without parents that wait for no
  /// earlier piece, in the order of issue.
  virtual void Begin(Participant p, std::vector<GroupFlow>* out) const = 0;
  /// Appends the children of a message, which its destination may send once it and their other
  /// parents have arrived. Reads only the name of `arrived`.
  virtual void After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const = 0;
  /// Counts the parents of a message, which must arrive at its source first. Reads only its name.
  virtual std::uint32_t ParentCount(const GroupFlow& flow) const = 0;
  /// Appends the parents of a message.
  virtual void Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const = 0;
  /// Appends messages that only wait for `sent` to leave its source (later pieces to the same
  /// peer).
  virtual void AfterSent(const GroupFlow& sent, std::vector<GroupFlow>* next) const {
    (void)sent, (void)next;
  }
  /// Appends the message, if any, that must leave the same source before `flow`.
  virtual void Predecessors(const GroupFlow& flow, std::vector<GroupFlow>* earlier) const {
    (void)flow, (void)earlier;
  }

  /// The message, if any, that its source may post only after `posted`: of schedules in which a
  /// rank sends in one order. Its parents must have arrived as well. Reads only the name.
  virtual std::optional<GroupFlow> NextInTurn(const GroupFlow& posted) const {
    (void)posted;
    return {};
  }
  /// The inverse: the message that its source must have posted before `flow`.
  virtual std::optional<GroupFlow> PreviousInTurn(const GroupFlow& flow) const {
    (void)flow;
    return {};
  }
  /// What a message waits for at its source: parents, and its turn.
  std::uint32_t WaitCount(const GroupFlow& flow) const {
    return ParentCount(flow) + (PreviousInTurn(flow) ? 1 : 0);
  }

  /// Visits the ranges of the operation's buffer that a message carries, in the order in which they
  /// are in it; mostly one. Reads the name, the offset and the bytes.
  virtual void ForEachRange(const GroupFlow& flow,
                            const std::function<void(const ByteRange&)>& visit) const {
    visit({flow.offset, flow.bytes});
  }

  /// Visits every message once, in SimAI's order of ids: by channel, then chunk, then source.
  virtual void ForEach(const std::function<void(const GroupFlow&)>& visit) const = 0;

  /// Visits all messages in bundles of equal ends and size, each message in one bundle: for sums.
  /// Takes O(participants x channels) if messages are chunks of a buffer, O(messages) otherwise.
  virtual void ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
    ForEach([&](const GroupFlow& flow) {
      visit({flow.source, flow.destination, flow.bytes, 1, flow.channel});
    });
  }

  /// Whether a GPU at an end of the message sends it from, or adds or puts it to, a place of its
  /// own for the message's channel and chunk, apart from the operation's buffer. Reads the name.
  virtual bool IsStaged(const GroupFlow& flow) const {
    (void)flow;
    return false;
  }

  /// Whether a message has arrived for its receiver when its last byte has, whatever
  /// flow.completion says: hardware answers it. Reads the name.
  virtual bool IsHeardOnArrival(const GroupFlow& flow) const {
    (void)flow;
    return false;
  }

  /// Memory of this schedule [byte].
  virtual std::size_t memory() const = 0;
};

}  // namespace heddle
