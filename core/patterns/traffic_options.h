// SPDX-License-Identifier: GPL-2.0-only
/// The parameters of `heddle trace`: an arrival pattern and its options, with one validator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Unless noted, each flow's source and destination are drawn: two GPUs of different servers.
enum class ArrivalPattern {
  kConstant,  ///< a flow every interval
  kPoisson,   ///< exponential times between flows; their mean is the interval
  kBurst,     ///< several flows at once, every interval
  kHotspot,   ///< times as kPoisson; a fraction of the flows goes from one server to another fixed
              ///< one
  kServerPair,  ///< each GPU of one server to its counterpart in another, every interval
  kOneToOne,    ///< one GPU to one other, every interval
};
/// Returns all patterns, in the order of the enum.
const std::vector<ArrivalPattern>& AllArrivalPatterns();
/// Returns "constant", "poisson", "burst", "hotspot", "server_pair" or "one_to_one".
std::string ToText(ArrivalPattern pattern);

/// Bounds of a trace. The reader accepts times below 106 days; a hundred leave room for the send
/// latency, and are below 2^53 ns, up to which a double represents every nanosecond.
inline constexpr std::int64_t kMaxTraceFlows = 10'000'000;  ///< a file of some 300 MB
inline constexpr std::int64_t kMaxTraceNs = 8'640'000'000'000'000;
inline constexpr std::int64_t kMaxGpusPerServer = 1024;

/// Fields hold the user's values, unchecked; fields that a pattern does not use are ignored.
struct TrafficOptions {
  ArrivalPattern pattern = ArrivalPattern::kServerPair;
  std::int64_t gpus = 128;           ///< GPU g is in server g / gpus_per_server
  std::int64_t gpus_per_server = 8;  ///< the last server may have fewer
  Bytes size{10 << 20};              ///< of every flow, from 1 to kMaxFlowBytes
  std::uint64_t seed = 1;            ///< of all patterns except server_pair and one_to_one

  double interval_ns = 100'000;  ///< [ns], from 1; from 0 for server_pair and one_to_one
  /// The trace ends at whichever limit comes first; at least one is given. server_pair ends by
  /// itself.
  std::optional<std::int64_t> flows;  ///< number of flows
  std::optional<Time> duration;       ///< flows that start before it

  std::int64_t burst_size = 8;     ///< burst
  double hotspot_fraction = 0.5;   ///< hotspot, in [0, 1]; the other flows may hit the pair too
  std::int64_t source_server = 0;  ///< hotspot, server_pair
  std::int64_t destination_server = 1;  ///< hotspot, server_pair
  std::int64_t rounds = 1;              ///< server_pair
  std::int64_t source_gpu = 0;          ///< one_to_one
  std::int64_t destination_gpu = 8;     ///< one_to_one

  /// Servers that send drawn flows (prompts are read there) and servers that receive them (answers
  /// are written there). No server is in both. Both empty: every server does both.
  std::vector<std::int64_t> prefill_servers, decode_servers;

  /// Returns the number of servers, an incomplete last one included.
  std::int64_t servers() const { return (gpus + gpus_per_server - 1) / gpus_per_server; }
  /// Returns the number of GPUs of a server: less than gpus_per_server in an incomplete last one.
  std::int64_t GpusOfServer(std::int64_t server) const;

  /// Throws UserError "--FLAG: found. Expected: ..." that names the flag of `heddle trace`.
  void Validate() const;
};

}  // namespace heddle
