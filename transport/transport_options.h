// SPDX-License-Identifier: GPL-2.0-only
/// Options of the transport, with SimAI's keys. Defaults are those of SimAI's shipped SimAI.conf where it has the key.
#ifndef HEDDLE_TRANSPORT_TRANSPORT_OPTIONS_H_
#define HEDDLE_TRANSPORT_TRANSPORT_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/units.h"

namespace heddle {

struct TransportOptions {
  std::int64_t payload = 9000;          ///< bytes of payload in a full packet
  std::int64_t congestion_control = 0;  ///< CC_MODE; only 0 (none) acts in this version
  bool has_window = true;               ///< limit the bytes in flight
  bool pair_window = false;             ///< window of the pair's own path instead of the largest of all
  std::int64_t ack_interval = 1;        ///< bytes between two ACKs; 1: each packet
  std::int64_t buffer_mib = 32;         ///< shared packet buffer of a switch [MiB]
  bool truncate_ns = false;             ///< cut times down to nanoseconds as SimAI does
  Time send_latency = MicroSeconds(6);  ///< software latency before a trace's flow starts
  std::int64_t lose_packet = 0;         ///< test aid: the packet of this number vanishes uncounted

  void Declare(OptionSet* options);
  /// What the user asked for and this version does not do, a line each.
  std::vector<std::string> Warnings() const;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_TRANSPORT_OPTIONS_H_
