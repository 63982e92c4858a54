// SPDX-License-Identifier: GPL-2.0-only
/// Options of collectives in phases and of their chunks; docs/models/phased-collectives.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct PhasedOptions {
  enum class Form : std::uint8_t { kOff, kBaseline, kEnhanced };
  friend constexpr auto WordsOf(Form /*type*/) { return std::array{"off", "baseline", "enhanced"}; }
  enum class Dimensions : std::uint8_t { kPackage, kAscending };
  friend constexpr auto WordsOf(Dimensions /*type*/) { return std::array{"package", "ascending"}; }
  enum class Routing : std::uint8_t { kSoftware, kHardware };
  friend constexpr auto WordsOf(Routing /*type*/) { return std::array{"software", "hardware"}; }
  enum class LocalLanes : std::uint8_t { kHalves, kAll };
  friend constexpr auto WordsOf(LocalLanes /*type*/) { return std::array{"halves", "all"}; }
  enum class Dispatch : std::uint8_t { kFill, kBatch };
  friend constexpr auto WordsOf(Dispatch /*type*/) { return std::array{"fill", "batch"}; }
  enum class Order : std::uint8_t { kLifo, kFifo };
  friend constexpr auto WordsOf(Order /*type*/) { return std::array{"lifo", "fifo"}; }
  enum class HalvingSums : std::uint8_t { kReceived, kNext };
  friend constexpr auto WordsOf(HalvingSums /*type*/) { return std::array{"received", "next"}; }

  Form collectives = Form::kOff;
  std::string layout = "fabric";  ///< sizes of logical dimensions, "2x4x4"; or the fabric has them
  Dimensions dimensions = Dimensions::kPackage;  ///< their order
  std::string algorithm = "auto";                ///< by dimension: line_algorithms.h
  std::string reduce_scatter = "same", all_gather = "same", all_to_all = "same";  ///< the same
  Routing routing = Routing::kSoftware;  ///< of all-to-all on rings
  LocalLanes local_lanes = LocalLanes::kHalves;
  Dispatch dispatch = Dispatch::kFill;
  Order order = Order::kLifo;
  Order equal = Order::kLifo;
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
  HalvingSums halving_sums = HalvingSums::kReceived;

  bool on() const { return collectives != Form::kOff; }  ///< collectives go in phases
  /// Whether dimensions are laid over a fabric that has none.
  bool is_logical() const { return layout != "fabric"; }
  /// Declares the keys phases.*; `options` writes to this, which must outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
