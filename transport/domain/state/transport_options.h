// SPDX-License-Identifier: GPL-2.0-only
/// Options of the transport: what all mechanisms share, and one struct a mechanism. Defaults are
/// those of SimAI's shipped SimAI.conf where it has the key.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/options/simai_version.h"
#include "core/traffic/message_split.h"
#include "transport/model/balance/port_options.h"
#include "transport/model/congestion/congestion_control.h"
#include "transport/model/entropy/entropy_options.h"
#include "transport/model/nic/nic_options.h"
#include "transport/model/nic/reliability_options.h"
#include "transport/model/paths/controller_options.h"
#include "transport/model/record/monitor_options.h"
#include "transport/model/replay/replay_options.h"
#include "transport/model/requests/request_options.h"
#include "transport/model/scale_up/nvlink_options.h"
#include "transport/model/scale_up/scale_up_options.h"
#include "transport/model/switch/aggregation_options.h"
#include "transport/model/switch/ecn.h"
#include "transport/model/switch/pfc_options.h"
#include "transport/model/switch/shared_buffer.h"
#include "transport/model/uec/uec_options.h"

namespace heddle {

class OptionSet;

/// The members of TransportOptions.
struct TransportFields {
  /// When a posted flow is complete: kAcked as SimAI, or kReceived.
  enum class Completion : std::uint8_t { kAcked, kReceived };
  friend constexpr auto WordsOf(Completion /*type*/) { return std::array{"acked", "received"}; }
  /// What of congestion control fluids know (transport/model/fluid/fluid_control.h).
  enum class FlowDetail : std::uint8_t { kMessages, kStreams };
  friend constexpr auto WordsOf(FlowDetail /*type*/) { return std::array{"messages", "streams"}; }
  enum class FlowCongestion : std::uint8_t { kNone, kMarks };
  friend constexpr auto WordsOf(FlowCongestion /*type*/) { return std::array{"none", "marks"}; }
  /// Of what leaves a server; kMixed: Ultra Ethernet for flows of uec_priority, else RoCE.
  enum class Protocol : std::uint8_t { kRoce, kUec, kMixed };
  friend constexpr auto WordsOf(Protocol /*type*/) { return std::array{"roce", "uec", "mixed"}; }

  std::int64_t payload = 9000;  ///< bytes of payload in a full packet
  bool has_window = true;       ///< limit the bytes in flight
  bool var_window = true;       ///< scale the window by rate / line rate
  bool rate_bound = true;       ///< pace by the rate; false: at line rate
  bool pair_window = false;     ///< window of the pair's own path instead of the largest of all
  bool truncate_ns = false;     ///< cut times down to nanoseconds as SimAI does
  SimaiVersion simai = SimaiVersion::k1_6;  ///< whose latencies and numbers count
  Time send_latency = MicroSeconds(6);      ///< software latency before a trace's flow starts
  std::string bare_send_latency;            ///< as given, if without a unit: see WithSendUnit()
  Completion completion = Completion::kAcked;
  FlowCongestion flow_congestion = FlowCongestion::kMarks;
  FlowDetail flow_detail = FlowDetail::kMessages;
  std::int64_t lose_packet = 0;     ///< test aid: the packet of this number vanishes uncounted
  std::string link_down = "0 0 0";  ///< SimAI's LINK_DOWN: time [us] and two nodes
  Time convergence;                 ///< how long after a failure routes follow

  Protocol protocol = Protocol::kRoce;
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

  /// Hands over all members once, for ReplayPermission
  /// (transport/model/replay/replay_permission.h): a new struct of options to Group(), a new member
  /// that WhyNoReplay() judges, if it must, to Plain().
  template <class Visitor>
  void VisitReplay(Visitor& visit) const {
    visit.Plain(payload, has_window, var_window, rate_bound, pair_window, truncate_ns, simai,
                send_latency, bare_send_latency, completion, flow_congestion, flow_detail,
                lose_packet, link_down, convergence, protocol, uec_priority);
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

  /// Declares the options of the transport and of all its mechanisms. The set writes to this
  /// object, which must outlive it.
  void Declare(OptionSet* options);
  /// Returns a send latency without a unit with the unit that SimAI's version gives it.
  std::string WithSendUnit(std::string_view number) const;
  /// Throws UserError for a send latency without a unit that is too long in SimAI's unit, which is
  /// known when all options are set.
  void CheckSendLatency() const;
  /// Returns a copy with what follows from other options: if RoCE packets take entropies of their
  /// own, each one is acknowledged, whatever `reliability` says.
  TransportOptions Resolved() const;
  /// Whether messages are divided into requests.
  bool divides() const { return requests.divides(); }
  /// Returns how many queue pairs a message is split over, and whether into requests.
  MessageSplit split() const { return {nic.qps_per_connection, divides()}; }
  /// Returns the packets of a train (PacketTrains); 1 where receivers or paths depend on single
  /// packets.
  std::int64_t train_packets() const;
  /// Returns bit p if flows of priority p that leave their server use Ultra Ethernet.
  std::uint8_t uec_classes() const;
  /// Returns the entropies of RoCE: by flow unless the options say otherwise, and always if all
  /// that leaves a server is Ultra Ethernet.
  EntropyOptions roce_entropy() const;
  /// Returns the entropies of Ultra Ethernet: uet-htsim's mixed scheme unless the options say
  /// otherwise. Flows in order (ROD) have one path.
  EntropyOptions uec_entropy() const;
  /// Returns "KEY=VALUE" of the option by which the packets of a flow take several paths, or paths
  /// that do not follow from the flow's hash; empty if paths are by flow.
  std::string sprayed_by() const;
};

}  // namespace heddle
