// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/schedule.h"

namespace heddle {

const char* ToText(Connection connection) {
  switch (connection) {
    case Connection::kRing:
      return "RING";
    case Connection::kTreeUp:
      return "TREE_UP";
    case Connection::kTreeDown:
      return "TREE_DOWN";
    case Connection::kNvlsUp:
      return "NVLS_UP";
    case Connection::kNvlsDown:
      return "NVLS_DOWN";
    case Connection::kDirect:
      return "DIRECT";
    case Connection::kPxnInit:
      return "PXN_INIT";
    case Connection::kPxnNet:
      return "PXN_NET";
    case Connection::kPxnFinal:
      return "PXN_FINAL";
    case Connection::kPat:
      return "PAT";
    case Connection::kNvlsRequest:
      return "NVLS_REQUEST";
    case Connection::kNvlsPull:
      return "NVLS_PULL";
    case Connection::kNvlsStore:
      return "NVLS_STORE";
    case Connection::kCollNetUp:
      return "COLLNET_UP";
    case Connection::kCollNetDown:
      return "COLLNET_DOWN";
    case Connection::kCustom:
      return "CUSTOM";
  }
  return "";
}

}  // namespace heddle
