// SPDX-License-Identifier: GPL-2.0-only
/// Options of NVLinks under credits (nvlink.layer=credits); docs/models/scale-up.md describes the
/// model.
///
/// Source of the defaults: Foley and Danskin, "Ultra-Performance Pascal GPU and NVLink
/// Interconnect", IEEE Micro 37(2), 2017: packets of a header flit and up to 16 flits of data, of
/// 16 bytes each. Buffers are not published. nvlink_presets.h has links of other kinds.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/units.h"
#include "topology/graph/scale_up.h"

namespace heddle {

class OptionSet;

struct NvLinkOptions {
  /// transport/model/replay/replay_permission.h: NVLinks under credits are no island.
  static constexpr bool kMayBeReplayed = true;

  /// kPackets: as Ethernet, without PFC; kCredits: buffers grant credits.
  enum class Layer : std::uint8_t { kPackets, kCredits };
  friend constexpr auto WordsOf(Layer /*type*/) { return std::array{"packets", "credits"}; }

  /// NVSwitches of a server act as one (topology/scale_up/nvswitch_planes.h).
  bool spray = false;
  /// NVSwitches drop nothing: what waits stands in their buffers, however large (SharedBuffer).
  bool lossless = false;
  std::int64_t train = 1;  ///< packets that are sent as one to and from NVSwitches (NVLS)
  Layer layer = Layer::kPackets;
  std::string preset = "nvlink";  ///< of NvLinkPresets()
  std::int64_t packet_bytes = 256;
  std::int64_t header_bytes = 16;
  std::int64_t flit_bytes = 16;
  std::int64_t buffer_flits = 8192;
  std::int64_t virtual_channels = 1;
  Time credit_delay;

  bool credits() const { return layer == Layer::kCredits; }  ///< nvlink.layer=credits
  /// Returns the level that these options describe: "NVLink", not padded, with turns.
  ScaleUpLevel Level() const;
  /// Adds nvlink.*.
  void Declare(OptionSet* options);
};

}  // namespace heddle
