// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/scale_up/nvlink_presets.h"

namespace heddle {
namespace {

/// A full UB packet: headers of its layers, and what each of its blocks carries besides.
NvLinkPreset UbPreset() {
  constexpr std::int64_t kPayload = 4096;  // of the transport layer
  // Link, network with addresses of 16 bits, reliable transport, transaction, memory access.
  constexpr std::int64_t kHeaders = 4 + 8 + 16 + 8 + 16;
  constexpr std::int64_t kBlock = 32 * 20;  // flits of 20 bytes
  constexpr std::int64_t kBlockTail = 6;    // checksums of link and block
  constexpr std::int64_t kNextBlock = 2;    // the link header of all blocks but the first
  constexpr std::int64_t kRoom = kBlock - kBlockTail - kNextBlock;
  constexpr std::int64_t kBlocks = (kPayload + kHeaders - kNextBlock + kRoom - 1) / kRoom;
  constexpr std::int64_t kHeader = kHeaders + kBlocks * kBlockTail + (kBlocks - 1) * kNextBlock;
  constexpr std::int64_t kCell = 8 * 20;     // credits count cells of 8 flits
  constexpr std::int64_t kBuffer = 1 << 20;  // of a virtual lane, the specification's example
  return {"ub", kPayload, kHeader, kCell, kBuffer / kCell};
}

}  // namespace

const std::vector<NvLinkPreset>& NvLinkPresets() {
  static const std::vector<NvLinkPreset> presets = {
      {"nvlink", 256, 16, 16, 8192}, {"ualink", 256, 19, 64, 8192}, UbPreset()};
  return presets;
}

}  // namespace heddle
