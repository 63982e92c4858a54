// SPDX-License-Identifier: GPL-2.0-only
/// Ports of a domain that make up a small network: the NVLinks of a server, or the links between a
/// leaf switch and its GPUs.
///
/// What happens on an island follows from the flows that start on it alone, as long as nothing
/// comes in from elsewhere, which is watched (Island::edges). At rest its state is that of a new
/// one, except for what AddDynamicWords() appends. From there it is a function of its inputs in
/// their order, which commutes with shifts of time and with renaming: two islands whose ports have
/// the same shape, in the same order, do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "core/events/event.h"
#include "transport/domain/replay/island_jump.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/replay/episode_key.h"
#include "transport/model/replay/episode_memo.h"
#include "transport/model/wire/event_kinds.h"

namespace heddle {

/// The order of an island's event that runs next, before all others of its time.
constexpr std::uint64_t kAtOnce = EventOrder(NodeId(0), PortId(0), FabricEvent::kIslandWake).bits();

/// What distinguishes the queue pair of a flow that starts from others, if it is RoCE's alone and
/// its message was posted whole.
struct StartedFlow {
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0, destination_port = 0;
  std::int64_t size = 0, window = 0;  ///< [byte]
  std::uint32_t message = 0, post = QueuePair::kParked;
  std::uint8_t priority = 0;

  /// Returns these members of a queue pair.
  static StartedFlow Of(const QueuePair& pair) {
    return {pair.flow,        pair.destination, pair.source_port, pair.destination_port, pair.size,
            pair.pace.window, pair.message,     pair.post,        pair.priority};
  }
  /// Returns the queue pair as FlowLife::Start makes it at `start`, at no port.
  QueuePair Pair(const FabricContext& context, Time start) const {
    QueuePair pair;
    pair.flow = flow;
    pair.destination = destination;
    pair.source_port = source_port;
    pair.destination_port = destination_port;
    pair.size = size;
    pair.pace.window = window;
    pair.pace.base_rtt = context.max_rtt;
    pair.message = message;
    pair.post = post;
    pair.priority = priority;
    pair.next_send = pair.start = start;
    return pair;
  }
};

struct Island {
  static constexpr std::uint32_t kNone = ~0U;

  enum class Mode : std::uint8_t {
    kQuiet,      ///< no flow is under way
    kOpen,       ///< simulated; nothing is written down
    kRecording,  ///< simulated, and written down
    kReplaying   ///< not simulated: its ports are as they were before the first input
  };

  /// A flow that started in this episode.
  struct Input {
    Time at;
    std::uint64_t reached = 0;  ///< DomainState::reached_ then
    std::uint32_t slot = 0;     ///< of its queue pair; meaningless once it has ended
    std::uint32_t port = 0;     ///< its NIC's, numbered within the domain
    bool ended = false;
    StartedFlow flow;
  };
  /// A port's totals at the episode's beginning.
  struct Start {
    std::uint32_t sent = 0;
    std::int64_t bytes = 0, max_queued = 0;
  };

  // Fixed.
  std::vector<std::uint32_t> ports;  ///< by label: ascending
  std::vector<std::uint32_t> edges;  ///< ports of its switch by which packets come from elsewhere
  std::vector<EventOrder> places;    ///< by label: of events at it, without kind and number
  EpisodeKey shape;
  EpisodeWorth* worth = nullptr;  ///< of its shape
  bool has_peers = false;         ///< another island of the domain has the same shape

  // State of the episode.
  Mode mode = Mode::kQuiet;
  bool vain = false;       ///< recording: what is written down cannot become a record
  std::uint32_t live = 0;  ///< flows under way
  Time begin;
  EpisodeKey key;                ///< with all inputs so far
  std::vector<EpisodeKey> keys;  ///< by input
  std::vector<Input> inputs;
  /// Indices of inputs that are under way: in a past that is simulated again, those of then.
  std::vector<std::uint32_t> under_way;
  std::vector<Start> starts;  ///< by label
  std::int64_t draws = 0;     ///< packets that its ports might have marked, ever
  std::int64_t odd = 0;       ///< recording: events that a record must not have, before it began
  EpisodePtr record;          ///< its own, or the one that it replays
  std::size_t at = 0;         ///< replaying: the next item
  std::vector<std::int64_t> loaded;  ///< replaying: bytes counted in TierLoad, by slot
  CycleSearch search;                ///< recording
  IslandJump jump;                   ///< recording
  std::int64_t jumped = 0;           ///< recording: packet-hops that were skipped
  Time wake_time = Time::Max();      ///< its pending event
  std::uint64_t wake_order = 0;
};

/// Returns the islands of a domain. Left out is an island of which a port has its far end in
/// another domain, loses packets by itself or is no Ethernet.
std::vector<Island> FindIslands(const DomainState& state);

/// Whether nothing is on its links or waits at its ports, or at those to elsewhere.
bool AtRest(const DomainState& state, const Island& island);
/// Whether the nodes of `a`, by label, come before those of `b`: then so do its events, at equal
/// times.
bool ComesBefore(const DomainState& state, const Island& a, const Island& b);
/// Sets or clears Port::kRecorded, and leaves the other flags.
void FlagRecorded(Port* port, bool recorded);
/// Sets whether what comes in by the island's edges is noticed (ReplaySide::Enters).
void Watch(DomainState& state, const Island& island, bool watched);
/// Appends what the past has left at the ports of an island at rest and may make a difference.
void AddDynamicWords(const DomainState& state, const Island& island,
                     std::vector<std::uint64_t>* words);
/// The island of each port, and its label there.
struct IslandMap {
  std::vector<std::uint32_t> island_of;  ///< by port; Island::kNone: of none
  std::vector<std::uint16_t> label_of;
  std::vector<std::uint32_t> edge_of;  ///< by port: the island that it leads out of
};
/// Appends the labels of the ports by which a packet goes from a NIC's port to its destination;
/// sets `only` to false if a switch chooses among several. Returns false if it leaves the island.
bool AddPath(const DomainState& state, const IslandMap& map, std::uint32_t island,
             std::uint32_t port, const Packet& packet, std::vector<std::uint64_t>* words,
             bool* only);

}  // namespace heddle
