// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/traffic_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/traffic/flow_request.h"

namespace heddle {
namespace {

template <class Number>
void CheckRange(const char* flag, Number value, Number low, Number high) {
  if (value >= low && value <= high) return;  // a NaN is in no range
  throw UserError(
      fmt::format("{}: found {}. Expected: a number from {} to {}", flag, value, low, high));
}

void CheckServer(const TrafficOptions& options, const char* flag, std::int64_t server) {
  if (server >= 0 && server < options.servers()) return;
  throw UserError(fmt::format("{}: found server {}. Expected: a server from 0 to {}", flag, server,
                              options.servers() - 1));
}

void CheckFabric(const TrafficOptions& options) {
  CheckRange<std::int64_t>("--gpus-per-server", options.gpus_per_server, 1, kMaxGpusPerServer);
  if (options.gpus >= 1 && options.gpus <= kMaxNodes) return;
  throw UserError(
      fmt::format("found {} GPUs. Expected: from 1 to {} (--servers times --gpus-per-server)",
                  options.gpus, kMaxNodes));
}

void CheckLength(const TrafficOptions& options) {
  const bool may_be_at_once = options.pattern == ArrivalPattern::kServerPair ||
                              options.pattern == ArrivalPattern::kOneToOne;
  const char* flag =
      options.pattern == ArrivalPattern::kBurst ? "--burst-interval-ns" : "--interval-ns";
  CheckRange<double>(flag, options.interval_ns, may_be_at_once ? 0 : 1, kMaxTraceNs);
  if (options.pattern != ArrivalPattern::kServerPair && !options.flows && !options.duration) {
    throw UserError("found no end of the trace. Expected: --flows or --duration");
  }
  if (options.flows) CheckRange<std::int64_t>("--flows", *options.flows, 1, kMaxTraceFlows);
  if (options.duration &&
      (*options.duration <= Time{} || *options.duration > NanoSeconds(kMaxTraceNs))) {
    throw UserError(fmt::format("--duration: found {}. Expected: a time above 0, at most 100 days",
                                ToText(*options.duration)));
  }
}

void CheckSplit(const TrafficOptions& options) {
  std::vector<std::int64_t> prefill = options.prefill_servers;
  std::sort(prefill.begin(), prefill.end());  // sorted, because there may be a million servers
  for (const std::int64_t server : prefill) CheckServer(options, "--prefill-servers", server);
  for (const std::int64_t server : options.decode_servers) {
    CheckServer(options, "--decode-servers", server);
    if (!std::binary_search(prefill.begin(), prefill.end(), server)) continue;
    throw UserError(fmt::format(
        "--decode-servers: found server {}, which is in --prefill-servers. Expected: other servers",
        server));
  }
  if (prefill.empty() != options.decode_servers.empty()) {
    throw UserError(
        fmt::format("no server is left that {}. Expected: servers that send "
                    "(--prefill-servers) and servers that receive (--decode-servers)",
                    prefill.empty() ? "sends" : "receives"));
  }
}

void CheckDrawnEnds(const TrafficOptions& options) {
  if (options.servers() < 2) {
    throw UserError(fmt::format(
        "found {} GPUs in one server. Expected: two servers, as flows of pattern {} leave theirs",
        options.gpus, ToText(options.pattern)));
  }
  CheckSplit(options);
}

void CheckServerPair(const TrafficOptions& options) {
  CheckServer(options, "--src-server", options.source_server);
  CheckServer(options, "--dst-server", options.destination_server);
  if (options.source_server == options.destination_server) {
    throw UserError(
        fmt::format("--dst-server: found {}, which is --src-server. Expected: another server",
                    options.destination_server));
  }
}

/// Drawn flows of the hot pair have the same direction as the others: from a prefill to a decode
/// server.
void CheckHotspot(const TrafficOptions& options) {
  CheckServerPair(options);
  CheckRange<double>("--hotspot-fraction", options.hotspot_fraction, 0, 1);
  const auto expect = [](const char* flag, std::int64_t server, const char* group,
                         const auto& servers) {
    if (servers.empty() || std::find(servers.begin(), servers.end(), server) != servers.end())
      return;
    throw UserError(fmt::format("{}: found {}. Expected: one of {}", flag, server, group));
  };
  expect("--src-server", options.source_server, "--prefill-servers", options.prefill_servers);
  expect("--dst-server", options.destination_server, "--decode-servers", options.decode_servers);
}

void CheckRounds(const TrafficOptions& options) {
  CheckServerPair(options);
  const std::int64_t sources = options.GpusOfServer(options.source_server);
  const std::int64_t destinations = options.GpusOfServer(options.destination_server);
  if (sources != destinations) {
    throw UserError(fmt::format(
        "server {} has {} GPUs and server {} has {}. Expected: as many, for each GPU a counterpart",
        options.source_server, sources, options.destination_server, destinations));
  }
  CheckRange<std::int64_t>("--rounds", options.rounds, 1, kMaxTraceFlows / sources);
}

void CheckGpuPair(const TrafficOptions& options) {
  for (const auto& [flag, gpu] : {std::pair("--src-gpu", options.source_gpu),
                                  std::pair("--dst-gpu", options.destination_gpu)}) {
    if (gpu >= 0 && gpu < options.gpus) continue;
    throw UserError(
        fmt::format("{}: found GPU {}. Expected: a GPU from 0 to {}", flag, gpu, options.gpus - 1));
  }
  if (options.source_gpu == options.destination_gpu) {
    throw UserError(fmt::format("--dst-gpu: found {}, which is --src-gpu. Expected: another GPU",
                                options.destination_gpu));
  }
}

}  // namespace

const std::vector<ArrivalPattern>& AllArrivalPatterns() {
  static const std::vector<ArrivalPattern> patterns = {
      ArrivalPattern::kConstant, ArrivalPattern::kPoisson,    ArrivalPattern::kBurst,
      ArrivalPattern::kHotspot,  ArrivalPattern::kServerPair, ArrivalPattern::kOneToOne};
  return patterns;
}

std::string ToText(ArrivalPattern pattern) {
  switch (pattern) {
    case ArrivalPattern::kConstant:
      return "constant";
    case ArrivalPattern::kPoisson:
      return "poisson";
    case ArrivalPattern::kBurst:
      return "burst";
    case ArrivalPattern::kHotspot:
      return "hotspot";
    case ArrivalPattern::kServerPair:
      return "server_pair";
    case ArrivalPattern::kOneToOne:
      return "one_to_one";
  }
  return "?";
}

std::int64_t TrafficOptions::GpusOfServer(std::int64_t server) const {
  return std::min(gpus_per_server, gpus - server * gpus_per_server);
}

void TrafficOptions::Validate() const {
  CheckFabric(*this);
  CheckRange<std::int64_t>("--kv-size", size.count, 1, kMaxFlowBytes);
  if (pattern == ArrivalPattern::kBurst) {
    CheckRange<std::int64_t>("--burst-size", burst_size, 1, kMaxTraceFlows);
  }
  CheckLength(*this);
  if (pattern == ArrivalPattern::kServerPair) return CheckRounds(*this);
  if (pattern == ArrivalPattern::kOneToOne) return CheckGpuPair(*this);
  CheckDrawnEnds(*this);
  if (pattern == ArrivalPattern::kHotspot) CheckHotspot(*this);
}

}  // namespace heddle
