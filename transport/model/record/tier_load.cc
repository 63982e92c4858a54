// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/tier_load.h"

#include <algorithm>

namespace heddle {

Time TierLoad::WidthFor(Time end) {
  Time width = kFirstWidth;
  while (end.ps / width.ps >= kMostBins) width = width * 2;
  return width;
}

std::uint8_t TierLoad::SlotOf(std::uint8_t tier) {
  const auto at = std::find(tiers_.begin(), tiers_.end(), tier);
  const auto slot = static_cast<std::uint8_t>(at - tiers_.begin());
  if (at == tiers_.end()) tiers_.push_back(tier);
  return slot;
}

void TierLoad::Turn(Time now) {
  Store();
  bin_ = now.ps / width_.ps;
  edge_ = width_ * (bin_ + 1);
}

void TierLoad::AddOver(std::uint8_t slot, std::int64_t bytes, Time from, Time time) {
  const Time end = from + time;
  if (end <= edge_) return Add(slot, bytes);
  while ((end.ps - 1) / width_.ps >= kMostBins) Double();
  edge_ = width_ * (bin_ + 1);
  // Rounded down at each edge, so that a wider bin has exactly the bytes of its halves.
  const auto sent_by = [&](Time at) {
    const auto product =
        static_cast<unsigned __int128>(bytes) * static_cast<unsigned __int128>((at - from).ps);
    return static_cast<std::int64_t>(product / static_cast<unsigned __int128>(time.ps));
  };
  const std::size_t slots = tiers_.size();
  const auto last = static_cast<std::size_t>((end.ps - 1) / width_.ps);
  if (bins_.size() < (last + 1) * slots) bins_.resize((last + 1) * slots);
  std::int64_t before = sent_by(std::min(edge_, end));
  Add(slot, before);
  for (auto bin = static_cast<std::size_t>(bin_) + 1; bin <= last; ++bin) {
    const std::int64_t by = sent_by(std::min(width_ * static_cast<std::int64_t>(bin + 1), end));
    bins_[bin * slots + slot] += by - before;
    before = by;
  }
}

void TierLoad::Store() {
  const auto last = current_.begin() + static_cast<std::ptrdiff_t>(tiers_.size());
  if (std::all_of(current_.begin(), last, [](std::int64_t bytes) { return bytes == 0; })) return;
  while (bin_ >= kMostBins) Double();
  const std::size_t slots = tiers_.size(), first = static_cast<std::size_t>(bin_) * slots;
  if (bins_.size() < first + slots) bins_.resize(first + slots);
  for (std::size_t slot = 0; slot < slots; ++slot) bins_[first + slot] += current_[slot];
  std::fill(current_.begin(), last, 0);
}

void TierLoad::Double() {
  const std::size_t slots = tiers_.size(), bins = bins_.size() / slots;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const std::int64_t bytes = bins_[bin * slots + slot];
      std::int64_t& sum = bins_[bin / 2 * slots + slot];
      sum = bin % 2 == 0 ? bytes : sum + bytes;
    }
  }
  bins_.resize((bins + 1) / 2 * slots);
  width_ = width_ * 2;
  bin_ /= 2;
}

void TierLoad::AddTo(Time width, std::size_t bins, std::vector<std::int64_t>* sums) const {
  const std::size_t slots = tiers_.size();
  const auto add = [&](std::int64_t bin, std::size_t slot, std::int64_t bytes) {
    if (bytes == 0) return;
    const auto at = static_cast<std::size_t>(bin * width_.ps / width.ps);
    (*sums)[tiers_[slot] * bins + std::min(at, bins - 1)] += bytes;
  };
  for (std::size_t i = 0; i < bins_.size(); ++i)
    add(static_cast<std::int64_t>(i / slots), i % slots, bins_[i]);
  for (std::size_t slot = 0; slot < slots; ++slot) add(bin_, slot, current_[slot]);
}

}  // namespace heddle
