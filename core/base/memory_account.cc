// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/memory_account.h"

#include <algorithm>
#include <numeric>

namespace heddle {

const char* ToText(Structure structure) {
  static constexpr const char* kNames[] = {"input: flows and jobs",
                                           "graph",
                                           "partition",
                                           "routes and path metrics",
                                           "next-hop tables",
                                           "ports",
                                           "buffer accounts",
                                           "domains",
                                           "event queues",
                                           "packets",
                                           "telemetry",
                                           "inboxes",
                                           "batches of ranks",
                                           "flow plans",
                                           "posted flows",
                                           "queue pairs",
                                           "receivers",
                                           "congestion control",
                                           "central controller",
                                           "statistics",
                                           "episodes to replay",
                                           "records",
                                           "schedules",
                                           "programs under way",
                                           "result files"};
  static_assert(std::size(kNames) == kStructures);
  return kNames[static_cast<std::size_t>(structure)];
}

std::int64_t MemoryAccount::total() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0});
}

Structure MemoryAccount::largest() const {
  return static_cast<Structure>(std::max_element(bytes_.begin(), bytes_.end()) - bytes_.begin());
}

}  // namespace heddle
