// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/transport_options.h"

#include <fmt/format.h>

#include "core/options/options.h"
#include "transport/model/wire/packet.h"

namespace heddle {
namespace {

constexpr Time kMostSendLatency = MicroSeconds(1000000);

/// Returns SimAI's AS_SEND_LAT: microseconds as its documentation has it; 1.7 counts nanoseconds
/// there. A number without a unit is kept, as compat.simai may be set after it.
Option SendLatency(TransportOptions* transport) {
  Option latency;
  latency.key = "flow.send_latency";
  latency.simai_key = "AS_SEND_LAT";
  latency.variables = {"AS_SEND_LAT"};
  latency.help =
      "software latency between a trace's time stamp, or the moment when a collective's message "
      "may be sent, and the "
      "start of its flow";
  latency.unit = "us";
  latency.range =
      "0..100 without unit [us], with compat.simai=1.7 0..1000000 [ns]; or with a unit up to 1s";
  latency.source = "SimAI's documentation: 6 us";
  latency.default_text = ToText(transport->send_latency);
  latency.get = [transport] { return ToText(transport->send_latency); };
  latency.set = [transport](std::string_view text) {
    const bool bare = text.find_first_not_of("0123456789.") == std::string_view::npos;
    const Time value = ParseTime(bare ? transport->WithSendUnit(text) : std::string(text));
    if (value > kMostSendLatency) throw UserError("at most 1s");
    transport->send_latency = value;
    transport->bare_send_latency = bare ? text : std::string_view();
  };
  return latency;
}

}  // namespace

TransportOptions::TransportOptions() = default;

void TransportOptions::Declare(OptionSet* options) {
  options->AddGroup({"transport", "packets, windows and the choice of the congestion control",
                     "docs/transport.md"});
  options->AddGroup({"failure", "links that fail or come back", "docs/models/failures.md"});
  options->AddGroup(
      {"flow", "when flows start and messages are complete", "docs/models/coordinator.md"});
  options->AddGroup({"compat", "what SimAI does differently, on request", "docs/compatibility.md"});
  options->AddGroup({"debug", "aids of heddle's own tests", "docs/transport.md"});
  const std::string conf = "SimAI.conf";
  options->Add(
      {"transport.payload", "PACKET_PAYLOAD_SIZE", "payload of a full packet", "byte", conf},
      &payload, 1, kMaxPacketBytes - kHeaderBytes - CongestionControl::kMostHeaderBytes);
  options->Add({"transport.window", "HAS_WIN",
                "limit the bytes in flight of a queue pair to a bandwidth-delay product", "", conf},
               &has_window);
  options->Add(
      {"transport.variable_window", "VAR_WIN", "scale the window by rate / line rate", "", conf},
      &var_window);
  options->Add({"transport.rate_bound", "RATE_BOUND",
                "pace queue pairs by their rate; false: by the line rate", "", conf},
               &rate_bound);
  options->Add({"transport.pair_window", "",
                "use the bandwidth-delay product of the flow's own path instead of the largest of "
                "the fabric",
                "", "heddle; SimAI always uses the largest (its GLOBAL_T has no effect)"},
               &pair_window);
  options->Add({"transport.protocol", "",
                "of flows that leave their server: RoCE, Ultra Ethernet, or mixed: Ultra Ethernet "
                "for flows of priority transport.uec_priority and RoCE for the others",
                "", "heddle; SimAI: roce"},
               &protocol);
  options->Add(
      {"transport.uec_priority", "",
       "with transport.protocol=mixed: the lossy traffic class of Ultra Ethernet", "", "heddle"},
      &uec_priority, 1, kPriorities - 1);
  congestion.Declare(options);
  uec.Declare(options);
  ecn.Declare(options);
  balance.Declare(options);
  entropy.Declare(options);
  buffer.Declare(options);
  pfc.Declare(options);
  aggregation.Declare(options);
  reliability.Declare(options);
  nic.Declare(options);
  requests.Declare(options);
  scale_up.Declare(options);
  nvlink.Declare(options);
  replay.Declare(options);
  monitors.Declare(options);
  controller.Declare(options);
  options->Add({"failure.link_down", "LINK_DOWN",
                "a link that goes down: time [us, or with a unit] and the two nodes; 0 0 0: none. "
                "--failures takes a file of "
                "events",
                "", conf},
               &link_down, {});
  options->Add({"failure.convergence", "", "how long after a failure routes follow it", "us",
                "SimAI: at once"},
               &convergence, Time{0}, MicroSeconds(100000000), "us");
  options->Add({"flow.completion", "",
                "when a collective's message is complete for both its ends: acked, when its last "
                "byte is acknowledged at the "
                "sender; received, when it has arrived",
                "", "SimAI: acked"},
               &completion);
  options->Add({"flow.congestion", "",
                "of DCQCN in runs of fluids (--backend flow): none: links are used fully and at "
                "once; marks: ports of switches have queues that mark, and senders cut their rates",
                "", "heddle"},
               &flow_congestion);
  options->Add({"flow.detail", "",
                "grain of runs of fluids (--backend flow): messages: each has a rate of its own; "
                "streams: a whole collective has one speed, on the links of all its messages",
                "", "heddle"},
               &flow_detail);
  options->Add(
      {"compat.truncate_ns", "",
       "cut serialisation and pacing times down to whole nanoseconds, as SimAI does", "", "heddle"},
      &truncate_ns);
  options->Add(
      {"debug.lose_packet", "",
       "test aid: the host packet of this number in each domain vanishes without being counted", "",
       "heddle"},
      &lose_packet, 0, std::int64_t{1} << 40);
  options->Add({"compat.simai", "",
                "version of SimAI whose latency of a collective's message counts; 1.7: by "
                "algorithm, protocol and kind of link, unless flow.send_latency is given, whose "
                "numbers without a unit are then nanoseconds",
                "", "SimAI: 1.6"},
               &simai);
  options->WhenSet("compat.simai", [this] {
    if (!bare_send_latency.empty()) send_latency = ParseTime(WithSendUnit(bare_send_latency));
  });
  options->Add(SendLatency(this));
}

std::string TransportOptions::WithSendUnit(std::string_view number) const {
  return std::string(number) + (simai == SimaiVersion::k1_7 ? "ns" : "us");
}

void TransportOptions::CheckSendLatency() const {
  if (bare_send_latency.empty()) return;
  const bool nanoseconds = simai == SimaiVersion::k1_7;
  if (send_latency <= (nanoseconds ? MicroSeconds(1000) : MicroSeconds(100))) return;
  const std::string expected =
      nanoseconds
          ? "nanoseconds, at most 1000000"
          : fmt::format(
                "microseconds, at most 100; '{0}' would be {0} us (SimAI 1.7 counts "
                "nanoseconds here: write '{0}ns' if you mean that, or set compat.simai=1.7)",
                bare_send_latency);
  throw UserError(fmt::format("flow.send_latency (AS_SEND_LAT): found '{}'. Expected: {}",
                              bare_send_latency, expected));
}

TransportOptions TransportOptions::Resolved() const {
  TransportOptions options = *this;
  if (roce_entropy().scheme == EntropyOptions::Scheme::kFlow) return options;
  // Each packet has a path of its own, and the sender needs a report of each.
  options.reliability.ack_interval = 1;
  options.reliability.simai_acks = false;
  return options;
}

std::int64_t TransportOptions::train_packets() const {
  const bool single = reliability.selective_repeat || reliability.reorder > 0 ||
                      roce_entropy().scheme != EntropyOptions::Scheme::kFlow || uec_classes() != 0;
  return single ? 1 : nvlink.train;
}

std::uint8_t TransportOptions::uec_classes() const {
  if (protocol == Protocol::kRoce) return 0;
  return protocol == Protocol::kUec ? 0xfe : static_cast<std::uint8_t>(1U << uec_priority);
}

EntropyOptions TransportOptions::roce_entropy() const {
  EntropyOptions options = entropy.Resolved(EntropyOptions::Scheme::kFlow);
  if (protocol == Protocol::kUec) options.scheme = EntropyOptions::Scheme::kFlow;
  return options;
}

EntropyOptions TransportOptions::uec_entropy() const {
  EntropyOptions options = entropy.Resolved(EntropyOptions::Scheme::kMixed);
  if (uec.in_order()) options.scheme = EntropyOptions::Scheme::kFlow;
  return options;
}

std::string TransportOptions::sprayed_by() const {
  constexpr auto kFlow = EntropyOptions::Scheme::kFlow;
  if (balance.scheme != PortOptions::Scheme::kHash)
    return std::string("balance.ports=") + ToText(balance.scheme);
  if (balance.weighted) return "balance.weighted=true";
  if (roce_entropy().scheme != kFlow)
    return std::string("entropy.scheme=") + ToText(entropy.scheme);
  if (uec_classes() != 0 && uec_entropy().scheme != kFlow)
    return std::string("entropy.scheme=") + ToText(uec_entropy().scheme);
  return "";
}

}  // namespace heddle
