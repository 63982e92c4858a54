// SPDX-License-Identifier: GPL-2.0-only
/// Options of collectives in phases and of their chunks; docs/models/phased-collectives.md.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct PhasedOptions {
  std::string collectives = "off";  ///< off, baseline, enhanced
  std::string layout = "fabric";  ///< sizes of logical dimensions, "2x4x4"; or the fabric has them
  std::string dimensions = "package";  ///< their order: package, ascending
  std::string algorithm = "auto";      ///< by dimension: line_algorithms.h
  std::string reduce_scatter = "same", all_gather = "same", all_to_all = "same";  ///< the same
  std::string routing = "software";  ///< of all-to-all on rings
  std::string local_lanes = "halves";
  std::string dispatch = "fill";
  std::string order = "lifo";
  std::string equal = "lifo";
  std::int64_t splits = 16;
  std::int64_t all_to_all_splits = 8;
  std::int64_t least_bytes = 1024;
  std::int64_t threshold = 64;
  std::int64_t batch = 16;
  std::int64_t per_lane = 8;
  Time endpoint_delay = NanoSeconds(10);
  Time local_endpoint_delay = NanoSeconds(10);
  Time reduction_delay;         ///< of each message that is added to what its receiver has
  double memory_bandwidth = 0;  ///< [GB/s] at which it is added, in three accesses; 0: no limit
  std::string halving_sums = "received";

  bool on() const { return collectives != "off"; }  ///< collectives go in phases
  /// Whether dimensions are laid over a fabric that has none.
  bool is_logical() const { return layout != "fabric"; }
  /// Declares the keys phases.*; `options` writes to this, which must outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
