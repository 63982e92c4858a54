// SPDX-License-Identifier: GPL-2.0-only
/// A switch's table of flowlets: the port that a flow's last packet took, and when.
///
/// Source: Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet
/// Switching", NSDI 2017, section 3. Entries are found by the hash of the flow, as in switches:
/// flows of one entry share it. There is no sweep: age is the time since the last packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/containers/state_count.h"

namespace heddle {

class FlowletTable {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  struct Entry {
    Time last;                   ///< of the last packet
    std::uint32_t port = kNone;  ///< that it took, in the caller's numbers

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& last& port;
    }
  };

  /// Requires `size` > 0 entries. They are allocated when the first flow arrives.
  explicit FlowletTable(std::size_t size) : size_(size) {}

  /// Returns the entry of a flow's hash; new ones have no port. Valid as long as the table.
  Entry& At(std::uint32_t hash) {
    if (entries_.empty()) entries_.resize(size_);
    return entries_[hash % size_];
  }
  std::size_t memory() const { return entries_.capacity() * sizeof(Entry); }  ///< bytes allocated

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& entries_;
    if constexpr (Archive::is_loading::value)
      ExpectState(entries_.empty() || entries_.size() == size_,
                  "a table of flowlets of other size");
  }

 private:
  std::size_t size_;
  std::vector<Entry> entries_;  ///< none, or size_
};

}  // namespace heddle
