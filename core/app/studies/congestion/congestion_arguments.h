// SPDX-License-Identifier: GPL-2.0-only
/// The command line of `heddle congestion`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/routing/routing_input.h"

namespace heddle {

struct CongestionArguments {
  std::string network, pattern = "bisect_fb_sym", mappings, output, dot, svg;
  std::uint32_t ranks = 0, first_ranks = 2;
  std::uint64_t runs = 1000, seed = 1;
  std::string placement = "random";
  bool fixed_subset = false, unit_links = false, force = false, json = false;
  bool check_routes = false, route_quality = false;  ///< instead of runs
  std::uint32_t queue_pairs = 0;  ///< of a message; 0: no study of their division
  std::string verify;             ///< bytes of a message; empty: no packets
  std::vector<std::string> settings;
  RoutingArguments routing;
  bool names_routing = false;  ///< --routing is given, even if with its default
};

/// Declares the flags, which write to `given`.
void AddArguments(CLI::App* app, CongestionArguments* given);

/// Returns the command as it can be given again, without outputs.
std::string CommandLine(const CongestionArguments& given);

}  // namespace heddle
