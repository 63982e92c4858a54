// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/server_options.h"

#include "core/base/ids.h"

namespace heddle {

void DeclareServers(ServerOptions* o, FlagSet* flags, const FlagSet::About& per_server,
                    std::uint32_t most) {
  using Kind = FlagSet::Kind;
  flags->AddLinkValue({"er", "error_rate", "packet loss probability of a link", "error rate"},
                      Kind::kErrorRate, &o->error_rate);
  flags->AddCount(per_server, &o->gpus_per_server, 1, most);
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

}  // namespace heddle
