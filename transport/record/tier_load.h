// SPDX-License-Identifier: GPL-2.0-only
/// What a domain's ports put on the links of each tier, over simulated time, in at most 256 bins.
///
/// Bins begin 1 us wide. When something was sent beyond the last one, neighbours are joined and the
/// width doubles. So the width depends on the last time at which something was sent, and on nothing
/// else; and since every width is a multiple of those below, the sums of several domains, brought
/// to the widest, are the same however the fabric was cut. A packet's bytes count in the bin in
/// which its transmission begins.
#ifndef HEDDLE_TRANSPORT_RECORD_TIER_LOAD_H_
#define HEDDLE_TRANSPORT_RECORD_TIER_LOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/state_count.h"
#include "core/base/units.h"
#include "topology/graph/link_tiers.h"

namespace heddle {

class TierLoad {
 public:
  static constexpr std::int64_t kMostBins = 256;
  static constexpr Time kFirstWidth = MicroSeconds(1);
  /// The narrowest of the widths with which everything until `end` is in kMostBins bins.
  static Time WidthFor(Time end);

  /// Where this domain counts a tier (index into LinkTiers::tiers()): most domains have few of
  /// them. All must be known before anything is sent.
  std::uint8_t SlotOf(std::uint8_t tier);

  void Add(std::uint8_t slot, std::int64_t bytes) { current_[slot] += bytes; }
  /// Turn() must be called before anything is sent at this time or later.
  Time edge() const { return edge_; }
  void Turn(Time now);

  /// Adds all bytes to bins of `width`, which must be at least that of WidthFor(the last send):
  /// sums[tier * bins + bin]. What is beyond the last bin counts there.
  void AddTo(Time width, std::size_t bins, std::vector<std::int64_t>* sums) const;
  std::size_t memory() const { return bins_.capacity() * sizeof(std::int64_t) + tiers_.capacity(); }

  /// Without the tiers, which the topology fixes.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& width_& bin_& edge_& bins_;
    for (std::size_t slot = 0; slot < tiers_.size(); ++slot) archive& current_[slot];
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  /// What the arithmetic of bins relies on.
  void CheckLoaded() const {
    const std::size_t slots = tiers_.size();
    const bool bins =
        slots == 0 ? bins_.empty()
                   : bins_.size() % slots == 0 && bins_.size() / slots <= std::size_t{kMostBins};
    ExpectState(bins && bin_ >= 0 && width_ >= kFirstWidth && bin_ < Time::Max().ps / width_.ps,
                "bins of another number or width");
  }
  void Store();
  void Double();

  std::array<std::int64_t, LinkTiers::kMost> current_{};  ///< by slot: of the bin under way
  Time width_ = kFirstWidth;
  Time edge_ = kFirstWidth;          ///< end of the bin under way
  std::int64_t bin_ = 0;             ///< the bin under way; may lie beyond the last
  std::vector<std::int64_t> bins_;   ///< [bin * slots + slot], until the last with bytes
  std::vector<std::uint8_t> tiers_;  ///< by slot
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_RECORD_TIER_LOAD_H_
