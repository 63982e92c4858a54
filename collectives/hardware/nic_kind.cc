// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/hardware/nic_kind.h"

#include "core/base/check.h"

namespace heddle {

const char* ToText(NicKind kind) {
  switch (kind) {
    case NicKind::kInfiniBand:
      return "ib";
    case NicKind::kRoce:
      break;
    case NicKind::kEfa:
      return "efa";
    case NicKind::kTcpxo:
      return "tcpxo";
    case NicKind::kSpectrumX:
      return "spectrum-x";
  }
  return "roce";
}

std::vector<std::string> NicKindWords() {
  std::vector<std::string> words;
  for (int kind = 0; kind < kNicKinds; ++kind)
    words.emplace_back(ToText(static_cast<NicKind>(kind)));
  return words;
}

NicKind ParseNicKind(const std::string& word) {
  for (int kind = 0; kind < kNicKinds; ++kind) {
    if (word == ToText(static_cast<NicKind>(kind))) return static_cast<NicKind>(kind);
  }
  throw InvariantError("no kind of NIC is called " + word);
}

}  // namespace heddle
