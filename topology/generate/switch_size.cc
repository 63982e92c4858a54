// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/switch_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace heddle {
namespace {

struct SwitchSize {
  std::uint32_t ports = 0;
  double rate = 0;         ///< of all ports [bit/s]
  std::uint8_t types = 0;  ///< bit i: has cables of FabricPlan::types[i], the last for all others
};

SwitchSize LargestOf(const FabricPlan& plan) {
  std::vector<double> rates;
  for (const FabricPlan::CableType& type : plan.types)
    rates.push_back(static_cast<double>(ParseBitRate(type.rate).bps));
  const std::uint32_t first = plan.gpus + plan.nvswitches;
  std::vector<SwitchSize> sizes(plan.switches);
  for (const FabricPlan::Cable& cable : plan.cables) {
    for (const std::uint32_t end : {cable.a, cable.b}) {
      if (end < first) continue;
      SwitchSize& size = sizes[end - first];
      ++size.ports;
      size.rate += rates[cable.type];
      size.types = static_cast<std::uint8_t>(size.types | 1U << std::min<unsigned>(cable.type, 7));
    }
  }
  const auto largest =
      std::max_element(sizes.begin(), sizes.end(),
                       [](const SwitchSize& a, const SwitchSize& b) { return a.rate < b.rate; });
  return largest == sizes.end() ? SwitchSize() : *largest;
}

}  // namespace

std::string SwitchSizeNote(const FabricPlan& plan) {
  const SwitchSize largest = LargestOf(plan);
  if (largest.rate <= kLargestSwitch) return "";
  const bool one_rate = largest.types != 0 && (largest.types & (largest.types - 1)) == 0;
  const std::string of_rate =
      one_rate ? " of " + plan.types[static_cast<std::size_t>(__builtin_ctz(largest.types))].rate
               : std::string();
  return fmt::format(
      "a switch has {} ports{}, {:.1f} Tbit/s, and the largest that is sold has {:.1f}; RailTree "
      "and FatTree take more tiers of smaller ones",
      largest.ports, of_rate, largest.rate / 1e12, kLargestSwitch / 1e12);
}

}  // namespace heddle
