// SPDX-License-Identifier: GPL-2.0-only
/// Bytes that a domain's ports sent over the links of each tier, by simulated time, in at most 256
/// bins.
///
/// Bins begin 1 us wide. When something is sent beyond the last one, neighbours are joined and the
/// width doubles. So the width depends on the end of the last send only. Since every width is a
/// multiple of the smaller ones, the sums of several domains, converted to the largest width, do
/// not depend on the partition. A packet's bytes count in the bin in which its transmission begins.
/// A message that is sent whole, as one packet, counts in all bins in which it is sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "topology/graph/link_tiers.h"

namespace heddle {

class TierLoad {
 public:
  static constexpr std::int64_t kMostBins = 256;
  static constexpr Time kFirstWidth = MicroSeconds(1);
  /// Returns the smallest width with which all times until `end` fit into kMostBins bins.
  static Time WidthFor(Time end);

  /// Returns this domain's slot for a tier (index into LinkTiers::tiers()); most domains have few
  /// tiers. Assign all slots before anything is sent.
  std::uint8_t SlotOf(std::uint8_t tier);

  /// Adds bytes of a transmission that begins in the current bin.
  void Add(std::uint8_t slot, std::int64_t bytes) { current_[slot] += bytes; }
  /// Adds a transmission that begins at `from`, in the current bin, and takes `time`: each bin gets
  /// the bytes that are sent in it. It must end no later than the run's last event.
  void AddOver(std::uint8_t slot, std::int64_t bytes, Time from, Time time);
  /// Returns the bytes of the current bin, by slot.
  std::array<std::int64_t, LinkTiers::kMost> current() const { return current_; }
  /// Puts back bytes that current() returned.
  void SetCurrent(const std::array<std::int64_t, LinkTiers::kMost>& current) { current_ = current; }
  /// Returns the end of the current bin. Call Turn() before anything is sent at this time or later.
  Time edge() const { return edge_; }
  /// Stores the current bin and begins the one that has `now`.
  void Turn(Time now);

  /// Adds all bytes to bins of `width`, which must be at least WidthFor(end of the last send):
  /// sums[tier * bins + bin]. Bytes after the last bin count there.
  void AddTo(Time width, std::size_t bins, std::vector<std::int64_t>* sums) const;
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return bins_.capacity() * sizeof(std::int64_t) + tiers_.capacity(); }

  /// Saves all but the tiers, which the topology fixes.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& width_& bin_& edge_& bins_;
    for (std::size_t slot = 0; slot < tiers_.size(); ++slot) archive& current_[slot];
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  /// Checks what the arithmetic of bins relies on, in loaded state. Throws UserError.
  void CheckLoaded() const {
    const std::size_t slots = tiers_.size();
    const bool bins =
        slots == 0 ? bins_.empty()
                   : bins_.size() % slots == 0 && bins_.size() / slots <= std::size_t{kMostBins};
    ExpectState(bins && bin_ >= 0 && width_ >= kFirstWidth && bin_ < Time::Max().ps / width_.ps,
                "bins of another number or width");
  }
  /// Adds the current bin to bins_. Doubles the width until its number is below kMostBins.
  void Store();
  /// Joins neighbouring bins: half as many, twice as wide.
  void Double();

  std::array<std::int64_t, LinkTiers::kMost> current_{};  ///< by slot: bytes of the current bin
  Time width_ = kFirstWidth;
  Time edge_ = kFirstWidth;          ///< end of the current bin
  std::int64_t bin_ = 0;             ///< the current bin; may lie beyond the last
  std::vector<std::int64_t> bins_;   ///< [bin * slots + slot], up to the last bin with bytes
  std::vector<std::uint8_t> tiers_;  ///< by slot
};

}  // namespace heddle
