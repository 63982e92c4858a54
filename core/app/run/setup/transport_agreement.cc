// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/transport_agreement.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "core/options/quantity_text.h"
#include "transport/model/reliability/reliability_schemes.h"

namespace heddle {
namespace {

/// Throws UserError: the controller reserves the links of a flow's path, and there is none.
void CheckSpraying(const TransportOptions& transport) {
  const std::string option = transport.sprayed_by();
  if (option.empty() || !transport.controller.enabled) return;
  throw UserError(fmt::format(
      "controller.enable: the central controller reserves the links that a flow's hash "
      "selects, and with {} packets take other ones. Expected: controller.enable=false, "
      "or paths by flow",
      option));
}

/// Throws UserError where options contradict these facts: every packet with an entropy of its own
/// has an ACK, which reports its path, and ACKs overtake each other.
void CheckEntropies(const TransportOptions& transport) {
  if (transport.roce_entropy().scheme == EntropyOptions::Scheme::kFlow) return;
  const ReliabilityOptions& reliability = transport.reliability;
  const char* option = reliability.ack_interval > 1 ? "reliability.ack_interval=1"
                       : reliability.simai_acks     ? "compat.simai_acks=false"
                       : reliability.back_to_zero   ? "reliability.back_to_zero=false"
                                                    : nullptr;
  if (option == nullptr) return;
  throw UserError(
      fmt::format("entropy.scheme={}: each packet has a path and an ACK of its own, and ACKs may "
                  "overtake each other. Expected: {}, or entropy.scheme=flow",
                  ToText(transport.entropy.scheme), option));
}

/// Throws UserError: averages that begin anew before weights are made of them are no averages.
void CheckCast(const RequestOptions& options) {
  const bool resets = options.reset_interval > Time{0};
  if (!options.casts() || !resets || options.reset_interval >= options.update_interval) return;
  throw UserError(fmt::format(
      "cast.reset_interval={}: averages would begin anew more often than weights are computed, "
      "each {}. Expected: at least cast.update_interval, or 0 (never)",
      ToText(options.reset_interval), ToText(options.update_interval)));
}

constexpr std::int64_t kMostAnnounced = 63;  // transport/model/nic/posted_flows.h

/// Throws UserError: requests are RoCE's, and which queue pairs send a message, and how much, is
/// known when it is over. Packets are numbered by their place among full ones where order is not
/// kept.
void CheckRequests(const TransportOptions& transport) {
  if (!transport.divides()) return;
  const std::string scheduler = "requests.scheduler=" + transport.requests.scheduler;
  const auto refuse = [&](const char* why, const char* expected) {
    throw UserError(fmt::format("{}: {}. Expected: {}, or requests.scheduler=message", scheduler,
                                why, expected));
  };
  if (transport.protocol != TransportOptions::Protocol::kRoce)
    refuse("requests are posted to queue pairs of RoCE", "transport.protocol=roce");
  if (TraitsOf(transport.reliability).keeps ||
      transport.roce_entropy().scheme != EntropyOptions::Scheme::kFlow) {
    refuse("queue pairs of requests keep the order of their packets (go-back-N)",
           "reliability.selective_repeat=false, reliability.reorder=0 and entropy.scheme=flow");
  }
  if (transport.completion == TransportOptions::Completion::kReceived &&
      transport.nic.qps_per_connection > kMostAnnounced) {
    refuse("receivers know of at most 63 queue pairs a message",
           "nic.qps_per_connection up to 63, or flow.completion=acked");
  }
  CheckCast(transport.requests);
}

}  // namespace

void CheckTransport(const TransportOptions& transport) {
  transport.CheckSendLatency();
  CheckSpraying(transport);
  CheckRequests(transport);
  CheckEntropies(transport);
}

void CheckOnTables(const TransportOptions& transport) {
  if (!transport.controller.enabled) return;
  throw UserError(
      "controller.enable: switches with forwarding tables have one port for each destination, "
      "and the central controller chooses among equal-cost ports. Expected: "
      "controller.enable=false, or a fabric without tables");
}

}  // namespace heddle
