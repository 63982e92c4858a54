// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/fabric_wish.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

void FabricWish::Declare(FlagSet* flags, const std::string& ratio_help) {
  FlagSet::About about = kGpusFlag;
  about.help = "number of GPUs, from which the sizes below follow (0: they are given)";
  flags->AddCount(about, &gpus, 0, kMaxNodes);
  flags->AddRatio({"ov", "oversubscription", ratio_help, "oversubscription"}, &oversubscription);
}

void FabricWish::DeclareRadix(FlagSet* flags) {
  flags->AddCount({"radix", "switch_radix",
                   "with -g: most ports of a switch (0: 128 for links of up to "
                   "400Gbps, else 64)",
                   "ports of a switch"},
                  &radix, 0, kMaxPorts);
}

void FabricWish::CheckFlags(const std::string& fabric, const FlagSet& flags,
                            const std::vector<std::string>& sizes) const {
  if (!is_asked() && oversubscription != kNoRatio) {
    throw UsageError(fabric + ": --oversubscription without --gpus. Expected: both, or sizes");
  }
  if (!is_asked() && radix > 0)
    throw UsageError(fabric + ": --radix without --gpus. Expected: both, or sizes");
  for (const std::string& size : sizes) {
    if (!is_asked() || !flags.IsGiven(size)) continue;
    throw UsageError(
        fmt::format("{}: --gpus and -{}. Expected: one of them, as -{} follows from the number of "
                    "GPUs",
                    fabric, size, size));
  }
}

void FabricWish::RefuseSize(const std::string& fabric, std::uint32_t gpus_per_server,
                            const std::string& rule,
                            const std::function<bool(std::uint32_t gpus)>& has_sizes) const {
  constexpr std::uint32_t kMostSteps = 256;
  const std::uint32_t each = gpus_per_server;
  std::vector<std::uint32_t> near;
  for (std::uint32_t step = 1; step <= kMostSteps && gpus / each > step; ++step) {
    if (!has_sizes((gpus / each - step) * each)) continue;
    near.push_back((gpus / each - step) * each);
    break;
  }
  for (std::uint32_t step = 1; step <= kMostSteps; ++step) {
    if (!has_sizes((gpus / each + step) * each)) continue;
    near.push_back((gpus / each + step) * each);
    break;
  }
  const std::string ratio =
      oversubscription == kNoRatio ? std::string() : fmt::format(" at {} : 1", oversubscription);
  RefuseFabric(
      fabric, fmt::format("no sizes give {} GPUs (--gpus) in servers of {}{}", gpus, each, ratio),
      (near.empty() ? std::string("another number")
                    : fmt::format("a number near it, such as {}", fmt::join(near, " or "))) +
          "; " + rule);
}

std::vector<std::string> FabricWish::Notes(const std::string& fabric) const {
  if (answer.empty()) return {};
  return {fmt::format("{}: {} GPUs are {}", fabric, gpus, answer)};
}

}  // namespace heddle
