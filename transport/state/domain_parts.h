// SPDX-License-Identifier: GPL-2.0-only
/// The parts of one domain, and what the lower of them ask of the higher ones.
///
/// A domain's state is handed to each of its parts, and knows them all (DomainState::parts()). A
/// part reaches those in its own room and below by their types. Where an arrow would have to go up,
/// it calls one of the functions here; transport/domain/part_calls.cc makes each of them a call of
/// the part in question.
#ifndef HEDDLE_TRANSPORT_STATE_DOMAIN_PARTS_H_
#define HEDDLE_TRANSPORT_STATE_DOMAIN_PARTS_H_

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

class DomainState;
class MessageDesk;
class NicRouting;
struct FlowRecord;
class PathClient;
class PauseControl;
class Receiver;
class ReplaySide;
class ScaleUpSide;
class Sender;
class StreamDesk;
class SwitchSide;
class UecReceiver;
struct Packet;
struct Port;
struct QueuePair;
enum class EpisodeStep : std::uint8_t;

/// All of one domain. They outlive it, and so does the state that they work on.
struct DomainParts {
  PauseControl& pause;
  SwitchSide& switch_side;
  NicRouting& nic_routing;
  Receiver& receiver;
  UecReceiver& uec_receiver;
  ScaleUpSide& scale_up;
  Sender& sender;
  MessageDesk& desk;
  PathClient& paths;
  StreamDesk& streams;
  ReplaySide& replay;
};

/// Sends the next packet if the port is free; what that is depends on whose port it is.
void Send(DomainState& state, Port& port, std::uint32_t index);
/// If DomainState::watches_: after a packet has joined a queue (`sign` 1) or left it (-1).
void QueueChanged(DomainState& state, const Port& port, int queue, const Packet& p, int sign);
/// A queue pair of the node starts: `pair` as its message and its grant make it, at no port.
/// Returns its slot.
std::uint32_t StartFlow(DomainState& state, std::uint32_t node, const QueuePair& pair);
// If DomainState::replays_ (transport/replay_domain/replay_side.h).
/// A queue pair starts at this port: whether what it does is replayed, so that it sends nothing.
bool IsReplayed(DomainState& state, std::uint32_t slot, std::uint32_t port);
/// Whether others are to hear of this step of a queue pair.
bool Tells(DomainState& state, std::uint32_t slot, EpisodeStep step);
/// The same of the arrival of a flow whose packets name this queue pair.
bool TellsArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow);
/// A queue pair has ended; its slot is free. `row`: its own; null: others had heard of it before.
void HasEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row);
/// A port of Port::kRecorded begins to send this many bytes.
void RecordLoad(DomainState& state, const Port& port, std::uint32_t bytes);
/// A packet that waits at this port might be marked, by chance.
void RecordDraw(DomainState& state, std::uint32_t port);
/// Runs the events of a past that is simulated again: those before `time`, and of those at `time`
/// the ones whose order is at most `reached`.
void RunPast(DomainState& state, Time time, std::uint64_t reached);

/// All bytes of a flow are here.
void FlowReceived(DomainState& state, FlowId flow);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_STATE_DOMAIN_PARTS_H_
