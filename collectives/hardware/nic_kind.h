// SPDX-License-Identifier: GPL-2.0-only
/// Kinds of NICs, as far as what NCCL reaches over them differs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class NicKind : std::uint8_t {
  kInfiniBand,
  kRoce,
  kEfa,        ///< AWS's Elastic Fabric Adapter
  kTcpxo,      ///< GPUDirect-TCPXO of Google's A3 Mega
  kSpectrumX,  ///< RoCE of Spectrum-X: adaptive routing, SuperNICs
};
constexpr int kNicKinds = 5;

/// The option's word: "ib", "roce", "efa", "tcpxo", "spectrum-x".
const char* ToText(NicKind kind);
/// Lists all words, in the order of the enum.
std::vector<std::string> NicKindWords();
/// Returns the kind that one of these words names.
NicKind ParseNicKind(const std::string& word);

}  // namespace heddle
