// SPDX-License-Identifier: GPL-2.0-only
#include "transport/transport_options.h"

#include <fmt/format.h>

#include "transport/packet.h"

namespace heddle {
namespace {

/// Keys of SimAI's transport whose mechanisms are not part of this version: known, listed when given, without effect.
void DeclareMechanismsToCome(OptionSet* options) {
  const std::string congestion = "congestion control is not part of this version: flows send at line rate";
  for (const char* key :
       {"ENABLE_QCN", "CLAMP_TARGET_RATE", "ALPHA_RESUME_INTERVAL", "RATE_DECREASE_INTERVAL", "RP_TIMER",
        "EWMA_GAIN", "FAST_RECOVERY_TIMES", "RATE_AI", "RATE_HAI", "MIN_RATE", "DCTCP_RATE_AI", "FAST_REACT",
        "MULTI_RATE", "SAMPLE_FEEDBACK", "U_TARGET", "MI_THRESH", "INT_MULTI", "PINT_LOG_BASE", "PINT_PROB",
        "KMAX_MAP", "KMIN_MAP", "PMAX_MAP", "VAR_WIN", "RATE_BOUND"}) {
    options->AddUnused({key, congestion});
  }
  const std::string pause = "priority flow control is not part of this version: a full buffer drops";
  for (const char* key : {"PAUSE_TIME", "ACK_HIGH_PRIO"}) options->AddUnused({key, pause});
  const std::string recovery = "go-back-N is not part of this version: a lost packet leaves its flow unfinished";
  for (const char* key : {"L2_CHUNK_SIZE", "L2_BACK_TO_ZERO"}) options->AddUnused({key, recovery});
  const std::string monitors = "monitors are not part of this version";
  for (const char* key : {"MON_START", "QP_MON_INTERVAL", "QLEN_MON_INTERVAL", "BW_MON_INTERVAL"}) {
    options->AddUnused({key, monitors});
  }
}

/// A key whose mechanism is missing but whose neutral value is harmless: anything else is refused, never ignored.
Option Refused(const std::string& key, const std::string& simai_key, const std::string& help) {
  Option option;
  option.key = key;
  option.simai_key = simai_key;
  option.help = help;
  option.range = "0";
  option.source = "SimAI.conf";
  option.default_text = "0";
  option.set = [help](std::string_view text) {
    if (text.find_first_not_of("0. \t") != std::string_view::npos) {
      throw UserError("0: " + help);
    }
  };
  option.get = [] { return std::string("0"); };
  return option;
}

}  // namespace

void TransportOptions::Declare(OptionSet* options) {
  const std::string conf = "SimAI.conf";
  options->Add({"transport.payload", "PACKET_PAYLOAD_SIZE", "payload of a full packet", "byte", conf}, &payload, 1,
               kMaxPacketBytes - kHeaderBytes);
  options->Add({"transport.congestion_control", "CC_MODE",
                "congestion control by SimAI's number: 0 none; 1, 3, 7, 8 and 10 run as 0 in this version", "", conf},
               &congestion_control, 0, 10);
  options->Add({"transport.window", "HAS_WIN", "limit the bytes in flight of a queue pair to a bandwidth-delay product",
                "", conf}, &has_window);
  options->Add({"transport.pair_window", "",
                "use the bandwidth-delay product of the flow's own path instead of the largest of the fabric", "",
                "heddle; SimAI always uses the largest (its GLOBAL_T has no effect)"}, &pair_window);
  options->Add({"transport.ack_interval", "L2_ACK_INTERVAL", "payload bytes between two ACKs; 1 acknowledges each packet",
                "byte", conf}, &ack_interval, 1, std::int64_t{1} << 30);
  options->Add({"switch.buffer", "BUFFER_SIZE", "shared packet buffer of a switch", "MiB", conf}, &buffer_mib, 1, 65536);
  options->Add({"compat.truncate_ns", "", "cut serialisation and pacing times down to whole nanoseconds, as SimAI does",
                "", "heddle"}, &truncate_ns);
  options->Add({"debug.lose_packet", "",
                "test aid: the host packet of this number in each domain vanishes without being counted", "", "heddle"},
               &lose_packet, 0, std::int64_t{1} << 40);
  Option latency;
  latency.key = "flow.send_latency";
  latency.simai_key = "AS_SEND_LAT";
  latency.help = "software latency between a trace's time stamp and the start of its flow";
  latency.unit = "us";
  latency.range = "0..100 without unit [us], or with a unit up to 1s";
  latency.source = "SimAI's documentation: 6 us";
  latency.default_text = ToText(send_latency);
  latency.get = [this] { return ToText(send_latency); };
  latency.set = [this](std::string_view text) {
    if (text.find_first_not_of("0123456789.") != std::string_view::npos) {
      send_latency = ParseTime(text);
      if (send_latency > MicroSeconds(1000000)) throw UserError("at most 1s");
      return;
    }
    const Time value = ParseTime(std::string(text) + "us");
    if (value > MicroSeconds(100)) {
      throw UserError(fmt::format(
          "microseconds, at most 100; '{0}' would be {0} us (SimAI 1.7 counts nanoseconds here: write '{0}ns' if you mean "
          "that)", text));
    }
    send_latency = value;
  };
  options->Add(latency);
  options->Add(Refused("link.error_rate", "ERROR_RATE_PER_LINK", "packet loss on links is not part of this version"));
  options->Add(Refused("failure.link_down", "LINK_DOWN", "link failures are not part of this version"));
  DeclareMechanismsToCome(options);
}

std::vector<std::string> TransportOptions::Warnings() const {
  std::vector<std::string> warnings;
  if (congestion_control != 0) {
    warnings.push_back(fmt::format(
        "CC_MODE {} runs as 0 (no congestion control): this version sends at line rate within the window",
        congestion_control));
  }
  return warnings;
}

}  // namespace heddle
