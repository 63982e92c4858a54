// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/server_options.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "topology/graph/gpu_types.h"

namespace heddle {

void DeclareServers(ServerOptions* o, FlagSet* flags, const FlagSet::About& per_server,
                    std::uint32_t most, std::uint32_t least) {
  using Kind = FlagSet::Kind;
  flags->AddLinkValue({"er", "error_rate", "packet loss probability of a link", "error rate"},
                      Kind::kErrorRate, &o->error_rate);
  flags->AddCount(per_server, &o->gpus_per_server, least, most);
  flags->AddWord({"gt", "gpu_type", "GPU type", "GPU type"}, &o->gpu_type, "H100");
  flags->AddCount(
      {"nsps", "nv_switch_per_server", "NVSwitches per server", "NVSwitches per server"},
      &o->nvswitches_per_server, 0, kMaxPorts);
  flags->AddLinkValue({"nvbw", "nvlink_bw", "rate GPU-NVSwitch", "rate of NVLinks"}, Kind::kRate,
                      &o->nvlink_bandwidth);
  flags->AddLinkValue({"nl", "nv_latency", "delay GPU-NVSwitch", "delay of NVLinks"}, Kind::kDelay,
                      &o->nvlink_latency);
  flags->AddLinkValue({"l", "latency", "delay of the other links", "delay"}, Kind::kDelay,
                      &o->latency);
  flags->AddLinkValue({"bw", "bandwidth", "rate GPU-leaf, each link", "rate GPU-leaf"}, Kind::kRate,
                      &o->bandwidth);
}

void SettleServers(const FlagSet& flags, ServerOptions* servers) {
  const bool is_given = flags.IsGiven("gps");
  if (!is_given && !flags.IsGiven("g")) return;
  if (!is_given) servers->gpus_per_server = kServerGpus;
  if (!flags.IsGiven("nsps")) servers->nvswitches_per_server = servers->gpus_per_server > 1 ? 1 : 0;
}

std::string SetNvLinksByGpuType(FlagSet* flags) {
  constexpr std::uint32_t kMbpsPerGbps = 1000;
  const FlagSet::Flag* rate = flags->Find("nvbw");
  const FlagSet::Flag* nvswitches = flags->Find("nsps");
  HEDDLE_EXPECT(flags->Find("gt") != nullptr && rate != nullptr && nvswitches != nullptr);
  const GpuType* type = FindGpuType(flags->Find("gt")->Value());
  const std::uint32_t gbps = type == nullptr ? 0 : type->nvlink_gbps;
  const std::uint32_t count = *nvswitches->number;
  if (rate->is_given || gbps == 0 || count == 0) return "";
  const double each = static_cast<double>(gbps * kMbpsPerGbps / count) / kMbpsPerGbps;
  const std::string text = fmt::format("{:.10g}Gbps", each);
  if (text == rate->Value()) return "";
  const FlagSet::Flag* ratio = flags->Find("ov");
  if (type->is_of_simai() && (ratio == nullptr || !ratio->is_given)) {
    return fmt::format(
        "NVLinks: {}, as SimAI's generator has them; kernels of {} reach {} (-nvbw {})",
        rate->Value(), type->name, text, text);
  }
  flags->Set("nvbw", text);
  return fmt::format("NVLinks: kernels of {} reach {} Gbps, here {} x {}; -nvbw sets another rate",
                     type->name, gbps, count, text);
}

}  // namespace heddle
