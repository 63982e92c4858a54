// SPDX-License-Identifier: GPL-2.0-only
/// Options of a host's NIC: how many queue pairs carry a flow, and whose packet leaves next.
#ifndef HEDDLE_TRANSPORT_NIC_NIC_OPTIONS_H_
#define HEDDLE_TRANSPORT_NIC_NIC_OPTIONS_H_

#include <cstdint>

#include "core/base/options.h"
#include "transport/wire/limits.h"

namespace heddle {

struct NicOptions {
  std::int64_t qps_per_connection =
      1;                           ///< _QPS_PER_CONNECTION_: queue pairs that share a flow's bytes
  bool ack_high_priority = false;  ///< ACK_HIGH_PRIO: ACKs travel in priority 0, in NICs and
                                   ///< switches, and no pause holds them
  std::int64_t weights[kPriorities] = {
      1, 1, 1, 1, 1, 1, 1, 1};  ///< packets a queue pair of the priority sends in its turn

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_NIC_NIC_OPTIONS_H_
