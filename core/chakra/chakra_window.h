// SPDX-License-Identifier: GPL-2.0-only
/// How much of long traces a process holds in memory. No result depends on it.
#pragma once

#include <cstdint>

namespace heddle {

class OptionSet;

struct ChakraWindow {
  std::int64_t nodes = 4'000'000;  ///< of all ranks of a trace; 0: any number

  /// Binds chakra.window.
  void Declare(OptionSet* options);
};

}  // namespace heddle
