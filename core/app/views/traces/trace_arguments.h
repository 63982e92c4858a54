// SPDX-License-Identifier: GPL-2.0-only
/// The command line of `heddle trace`: its flags, and which of them each arrival pattern accepts.
///
/// A flag that is missing, that the pattern does not accept, or that excludes another is a usage
/// error (exit code 2); an unusable value is bad input (3). Values stay text until all flags are
/// known to be acceptable, because a superfluous flag is a clearer mistake than its value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/patterns/traffic_options.h"

namespace heddle {

/// The flags given; no value for a flag that was not given.
struct TraceArguments {
  using Text = std::optional<std::string>;
  std::string arrival, output = "-";
  bool force = false;
  Text topology, servers, gpus_per_server, kv_mb, kv_size;  // all patterns
  Text rate, interval, flows, duration, burst_size, burst_interval, hotspot_fraction, source_server,
      destination_server, rounds, source_gpu, destination_gpu, prefill_servers, decode_servers,
      seed;
};

/// A flag that only some of the patterns accept.
struct PatternFlag {
  const char* name;
  TraceArguments::Text TraceArguments::*value;
  std::vector<ArrivalPattern> patterns;
  const char* help;

  bool IsOf(ArrivalPattern pattern) const;  ///< the pattern accepts it
};
/// Returns the flags in the order of the help.
const std::vector<PatternFlag>& PatternFlags();

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseTraceArguments(const std::vector<std::string>& arguments, TraceArguments* given);

/// Throws UserError with the nearest name of a pattern.
ArrivalPattern ReadPattern(const std::string& text);

/// Throws UsageError for a flag that the pattern does not accept, for one that is missing, and for
/// two that exclude each other.
void CheckTraceFlags(const TraceArguments& given, ArrivalPattern pattern);

}  // namespace heddle
