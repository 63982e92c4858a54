// SPDX-License-Identifier: GPL-2.0-only
/// What a run says of a file of ASTRA-SIM.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct AstraFileNote {
  std::string version;                                      ///< "ASTRA-SIM 1.0", "ASTRA-sim 2"
  std::vector<std::pair<std::string, std::string>> unused;  ///< keys in the file, and why

  /// "ASTRA-sim 2; not used: boost-mode (all NPUs are simulated)".
  std::string Text() const {
    std::string text = version;
    for (const auto& [key, reason] : unused)
      text += (text == version ? "; not used: " : ", ") + key + " (" + reason + ")";
    return text;
  }
};

}  // namespace heddle
