// SPDX-License-Identifier: GPL-2.0-only
/// Packets of the links between accelerators of a server, as far as they are published.
///
/// Sources. NVLink: Foley and Danskin, IEEE Micro 37(2), 2017. UALink: flits of 64 bytes and the
/// share for data that its consortium states for UALink 200G 1.0. UB (UnifiedBus): the headers and
/// credits of openEuler's simulator ns-3-UB, which follows the UB Base Specification, and the
/// blocks of the driver ubl of its kernel. Rates and delays are the fabric's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct NvLinkPreset {
  std::string name;           ///< value of nvlink.preset
  std::int64_t packet_bytes;  ///< payload of a full packet
  std::int64_t header_bytes;  ///< all that is not payload, of a full packet
  std::int64_t flit_bytes;    ///< that credits count
  std::int64_t buffer_flits;  ///< of a virtual channel
};

/// Returns all presets; the first one is the default.
const std::vector<NvLinkPreset>& NvLinkPresets();

}  // namespace heddle
