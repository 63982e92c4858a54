// SPDX-License-Identifier: GPL-2.0-only
/// Time of rings over several servers, by a replay of one ring through one server.
///
/// All servers are alike, and the rings of a group are each other's rotations: what one ring does
/// in one server, all do everywhere, at the same time. So one ring is replayed through one server,
/// and leaves it into itself. A ring sends along its edges one behind the other: those inside of
/// the server, which share each GPU's NVLinks evenly, so that each of `a` messages at once takes
/// `a` times as long as alone; and the one to the next server, by a NIC of its own. Each edge sends
/// the ring's messages in their order. A message starts a latency after the one that it forwards
/// has arrived.
///
/// Between packets of several messages a message's last packet waits for one of each other, at the
/// GPU and at the NVSwitch: 2 (edges - 1) packets more. The factor 2 was checked by packets
/// (docs/models/analytical.md).
///
/// Not modelled: groups whose servers differ in their number of ranks; other traffic; queues and
/// hashes beyond the NIC.
#ifndef HEDDLE_COLLECTIVES_STEPWISE_RING_REPLAY_H_
#define HEDDLE_COLLECTIVES_STEPWISE_RING_REPLAY_H_

#include <cstdint>

namespace heddle {

/// Times in seconds.
struct RingThroughServer {
  std::uint32_t inside = 1;  ///< edges inside a server, that of a relay included; at least 1
  /// A GPU of the server relays to the next server (PXN): the last edge inside and the one between
  /// are one step of the ring.
  bool relayed = false;
  std::uint64_t steps = 1;                         ///< messages of each edge
  double message_inside = 0, message_between = 0;  ///< alone on their ports, > 0
  double latency_inside = 0, latency_between = 0;
  double packet_inside = 0;  ///< of one packet on a GPU's NVLinks
};

/// Time: O(steps x edges x log(edges)) up to some thousand steps; more steps go on as those did.
double RingSeconds(const RingThroughServer& ring);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_STEPWISE_RING_REPLAY_H_
