// SPDX-License-Identifier: GPL-2.0-only
/// The parts of one domain, and how the lower of them reach the higher ones.
///
/// A domain's state is handed to each of its parts, and knows them all (DomainState::parts()). A
/// part reaches those in its own room and below by their types. Where an arrow would have to go up,
/// it calls an interface: MessageReports, FlowStarter, or ReplayWatcher (DomainState::watcher()).
/// The three functions here are on the path of every packet, and are no virtual calls
/// (transport/domain/fabric_domain/part_calls.cc).
#pragma once

#include <cstdint>

namespace heddle {

class DomainState;
class FlowStarter;
class MessageDesk;
class MessageReports;
class NicRouting;
class PathClient;
class PauseControl;
class Receiver;
class RequestDesk;
class ReplaySide;
class ScaleUpSide;
class Sender;
class StreamDesk;
class SwitchSide;
class UecReceiver;
struct Packet;
struct Port;

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
  RequestDesk& requests;
  ReplaySide& replay;
  MessageReports& reports;  ///< the desk
  FlowStarter& starter;     ///< of the sender
};

/// Sends the next packet if the port is free; what that is depends on whose port it is.
void Send(DomainState& state, Port& port, std::uint32_t index);
/// Whether queue pairs of a GPU's port may send.
bool AnyReady(const DomainState& state, const Port& port);
/// If DomainState::watches_: after a packet has joined a queue (`sign` 1) or left it (-1).
void QueueChanged(DomainState& state, const Port& port, int queue, const Packet& p, int sign);
}  // namespace heddle
