// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/chakra/chakra_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/time_limits.h"

namespace heddle {
namespace {

/// Whole ns, as ASTRA-sim counts. Throws UserError beyond the longest time of an input.
Time WholeNanoSeconds(const ChakraTrace& trace, ChakraPlace at, double ns) {
  const double most = static_cast<double>(kLatestInput.ps) / 1000;
  if (ns > most)
    throw UserError(
        fmt::format("{}: it takes {} ns. Expected: at most {:.0f}", trace.PlaceOf(at), ns, most));
  return NanoSeconds(static_cast<std::int64_t>(ns));
}

}  // namespace

Time TimeOfReplay(const ChakraNode& node) { return std::max(node.duration, NanoSeconds(1)); }

Time TimeOfComputing(const ChakraTrace& trace, ChakraPlace at, const ChakraOptions& options) {
  const ChakraNode& node = trace.at(at);
  if (node.on_cpu || !options.by_roofline())
    return options.as_astra_sim() ? TimeOfReplay(node) : node.duration;
  if (options.peak <= 0 || options.memory_bandwidth <= 0)
    throw UserError(
        "chakra.compute=roofline: it needs the figures of the GPU. Expected: chakra.peak and "
        "chakra.memory_bandwidth");
  if (node.missing != 0)
    throw UserError(
        fmt::format("{}: {} without {}. Expected: num_ops and tensor_size, or "
                    "chakra.compute=duration",
                    trace.PlaceOf(at), trace.Describe(node),
                    (node.missing & ChakraNode::kOperations) != 0 ? "num_ops" : "tensor_size"));
  if (node.bytes == 0) return Time{0};  // ASTRA-sim skips it
  const auto operations = static_cast<double>(node.operations);
  // Operations a ns: as many as the memory feeds, or the peak.
  const double fed = options.memory_bandwidth * operations / static_cast<double>(node.bytes);
  const double rate = std::min(fed, options.peak * 1000);
  return WholeNanoSeconds(trace, at, rate > 0 ? operations / rate : 0);
}

Time TimeOfMemory(const ChakraTrace& trace, ChakraPlace at, const ChakraOptions& options) {
  const ChakraNode& node = trace.at(at);
  if (options.remote_bandwidth <= 0)
    throw UserError(
        fmt::format("{}: {}, and there is no remote memory. Expected: "
                    "chakra.remote_bandwidth, its rate",
                    trace.PlaceOf(at), trace.Describe(node)));
  if (node.missing != 0)
    throw UserError(fmt::format("{}: {} without tensor_size. Expected: its bytes",
                                trace.PlaceOf(at), trace.Describe(node)));
  return options.remote_latency +
         WholeNanoSeconds(trace, at, static_cast<double>(node.bytes) / options.remote_bandwidth);
}

}  // namespace heddle
