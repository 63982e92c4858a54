// SPDX-License-Identifier: GPL-2.0-only
/// Options of the transport: those that all share, and one struct a mechanism. Defaults are those
/// of SimAI's shipped SimAI.conf where it has the key.
#ifndef HEDDLE_TRANSPORT_STATE_TRANSPORT_OPTIONS_H_
#define HEDDLE_TRANSPORT_STATE_TRANSPORT_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/traffic/message_split.h"
#include "transport/balance/port_options.h"
#include "transport/congestion/congestion_control.h"
#include "transport/entropy/entropy_options.h"
#include "transport/nic/nic_options.h"
#include "transport/nic/reliability_options.h"
#include "transport/paths/controller_options.h"
#include "transport/record/monitor_options.h"
#include "transport/replay/replay_options.h"
#include "transport/requests/request_options.h"
#include "transport/scale_up/nvlink_options.h"
#include "transport/scale_up/scale_up_options.h"
#include "transport/switch/aggregation_options.h"
#include "transport/switch/ecn.h"
#include "transport/switch/pfc_options.h"
#include "transport/switch/shared_buffer.h"
#include "transport/uec/uec_options.h"

namespace heddle {

class OptionSet;

/// The members of TransportOptions.
struct TransportFields {
  std::int64_t payload = 9000;  ///< bytes of payload in a full packet
  bool has_window = true;       ///< limit the bytes in flight
  bool var_window = true;       ///< scale the window by rate / line rate
  bool rate_bound = true;       ///< pace by the rate; false: at line rate
  bool pair_window = false;     ///< window of the pair's own path instead of the largest of all
  bool truncate_ns = false;     ///< cut times down to nanoseconds as SimAI does
  std::string simai = "1.6";    ///< version whose latencies and numbers count
  Time send_latency = MicroSeconds(6);  ///< software latency before a trace's flow starts
  std::string bare_send_latency;        ///< as given, if without a unit: see WithSendUnit()
  std::string completion = "acked";     ///< of a posted flow: acked (as SimAI) or received
  std::int64_t lose_packet = 0;         ///< test aid: the packet of this number vanishes uncounted
  std::string link_down = "0 0 0";      ///< SimAI's LINK_DOWN: time [us] and two nodes
  Time convergence;                     ///< how long after a failure routes follow

  std::string protocol = "roce";  ///< roce, uec, or mixed: uec for flows of uec_priority
  std::int64_t uec_priority = 4;

  CongestionOptions congestion;
  UecOptions uec;
  EcnOptions ecn;
  PortOptions balance;
  EntropyOptions entropy;
  BufferOptions buffer;
  PfcOptions pfc;
  AggregationOptions aggregation;
  ReliabilityOptions reliability;
  NicOptions nic;
  RequestOptions requests;
  ScaleUpOptions scale_up;
  NvLinkOptions nvlink;
  ReplayOptions replay;
  MonitorOptions monitors;
  ControllerOptions controller;

  /// Hands over all members once, for ReplayPermission (transport/replay/replay_permission.h): a
  /// new struct of options to Group(), a new member that WhyNoReplay() judges, if it must, to
  /// Plain().
  template <class Visitor>
  void VisitReplay(Visitor& visit) const {
    visit.Plain(payload, has_window, var_window, rate_bound, pair_window, truncate_ns, simai,
                send_latency, bare_send_latency, completion, lose_packet, link_down, convergence,
                protocol, uec_priority);
    visit.Group("congestion", congestion);
    visit.Group("uec", uec);
    visit.Group("ecn", ecn);
    visit.Group("balance", balance);
    visit.Group("entropy", entropy);
    visit.Group("buffer", buffer);
    visit.Group("pfc", pfc);
    visit.Group("aggregation", aggregation);
    visit.Group("reliability", reliability);
    visit.Group("nic", nic);
    visit.Group("requests", requests);
    visit.Group("scale_up", scale_up);
    visit.Group("nvlink", nvlink);
    visit.Group("replay", replay);
    visit.Group("monitors", monitors);
    visit.Group("controller", controller);
  }
};

struct TransportOptions : TransportFields {
  /// Not inline: so many defaults are too much for callers.
  TransportOptions();

  void Declare(OptionSet* options);
  /// A send latency without a unit with the unit that SimAI's version gives it.
  std::string WithSendUnit(std::string_view number) const;
  /// Throws UserError for a send latency without a unit that is too long in SimAI's unit, which is
  /// known when all options are set.
  void CheckSendLatency() const;
  /// Whether messages are divided into requests.
  bool divides() const { return requests.divides(); }
  MessageSplit split() const { return {nic.qps_per_connection, divides()}; }
  /// Packets of a train (PacketTrains): one where receivers or paths depend on single packets.
  std::int64_t train_packets() const;
  /// Bit p: flows of priority p that leave their server use Ultra Ethernet.
  std::uint8_t uec_classes() const;
  /// The entropies of RoCE, by flow if nothing else is said or all that leaves a server is Ultra
  /// Ethernet, and of Ultra Ethernet: uet-htsim's mixed scheme if nothing else is said; flows in
  /// order (ROD) have one path.
  EntropyOptions roce_entropy() const;
  EntropyOptions uec_entropy() const;
  /// "KEY=VALUE" of the option by which the packets of a flow take several paths, or paths that the
  /// hash of the flow does not tell; empty if paths are by flow.
  std::string sprayed_by() const;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_STATE_TRANSPORT_OPTIONS_H_
