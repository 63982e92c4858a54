// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/program.h"

namespace heddle {

const char* ToText(Phase phase) {
  static constexpr const char* kNames[kPhases] = {"fwd", "ig", "wg"};
  return kNames[static_cast<int>(phase)];
}

}  // namespace heddle
