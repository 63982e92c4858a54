// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_node.h"

namespace heddle {

const char* ToText(ChakraCollective collective) {
  constexpr const char* kNames[kChakraCollectives] = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  return kNames[static_cast<int>(collective)];
}

}  // namespace heddle
