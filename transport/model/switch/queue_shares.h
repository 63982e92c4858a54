// SPDX-License-Identifier: GPL-2.0-only
/// Which ingress accounts fill a switch's queues: for accounts that have paused their sender, the
/// bytes in each egress queue that came in through them.
///
/// Updated from an account's first pause on, as every further pause looks for its cause. In a storm
/// of pauses queues are long, and a search in them at each pause took half of the run time
/// (docs/performance.md). Not saved: it is computed from the queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "transport/model/wire/limits.h"

namespace heddle {

class QueueShares {
 public:
  bool any() const { return !row_of_.empty(); }  ///< some account is watched

  /// Returns the bytes by egress port of the switch, counted from its first; null if the account is
  /// not watched. `ingress`: number of the port in its domain, or any other number. Valid until the
  /// next Watch().
  std::uint32_t* Row(std::uint32_t ingress, int priority) {
    const std::size_t account =
        std::size_t{ingress} * kPriorities + static_cast<unsigned>(priority);
    if (account >= row_of_.size() || row_of_[account] == kNone) return nullptr;
    return &bytes_[row_of_[account]];
  }
  /// Watches an account from now on and returns its row of zeros. `ports`: number of ports of its
  /// switch; `all_ports`: of the domain.
  std::uint32_t* Watch(std::uint32_t ingress, int priority, std::size_t ports,
                       std::size_t all_ports) {
    row_of_.resize(all_ports * kPriorities, kNone);
    row_of_[std::size_t{ingress} * kPriorities + static_cast<unsigned>(priority)] = bytes_.size();
    bytes_.resize(bytes_.size() + ports, 0);
    return Row(ingress, priority);
  }

  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(row_of_) + MemoryOf(bytes_); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<std::size_t> row_of_;  ///< by port and priority: start of its row
  std::vector<std::uint32_t> bytes_;
};

}  // namespace heddle
