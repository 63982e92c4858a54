// SPDX-License-Identifier: GPL-2.0-only
/// Options that every family of fabrics has: servers with GPUs and NVSwitches, and their cables.
#pragma once

#include <cstdint>
#include <string>

#include "topology/generate/flag_set.h"

namespace heddle {

/// SimAI's defaults, but for NVLinks of some GPU types (SetNvLinksByGpuType()). Rates, delays and
/// the error rate keep the user's text, because it is copied into the topology file.
struct ServerOptions {
  std::uint32_t gpus_per_server = 8;
  std::string gpu_type = "H100";
  std::uint32_t nvswitches_per_server = 1;  ///< each is linked to every GPU of its server; may be 0
  std::string nvlink_bandwidth = "2880Gbps";
  std::string nvlink_latency = "0.000025ms";
  std::string bandwidth = "400Gbps";  ///< of each link from a GPU to a switch
  std::string latency = "0.0005ms";   ///< of all links except NVLink
  std::string error_rate = "0";       ///< probability that a packet is lost on a link, in [0, 1)
};

/// GPUs of a server unless -gps says otherwise, where a fabric is asked for by its number of GPUs.
inline constexpr std::uint32_t kServerGpus = 8;

/// The flag of gpus_per_server, as SimAI's generator has it.
inline const FlagSet::About kGpusPerServerFlag = {"gps", "gpu_per_server", "GPUs per server",
                                                  "GPUs per server"};

/// The note to users of a fabric whose rails are not joined by switches.
inline constexpr const char* kRailOnlyNote =
    "a server's rails meet on its NVLinks alone; collectives over several rails and servers need "
    "collective.pxn=true (AS_PXN_ENABLE=1)";

/// Binds the options in the order of SimAI's help; `per_server` is the flag of gpus_per_server,
/// from `least` to `most`.
void DeclareServers(ServerOptions* o, FlagSet* flags, const FlagSet::About& per_server,
                    std::uint32_t most, std::uint32_t least = 1);

/// Applies the one rule of servers: who asks for servers (-gps) or for a number of GPUs (-g) gets
/// servers of -gps GPUs (kServerGpus), each with one NIC, and one NVSwitch if there are several, as
/// in SimAI's fabrics. -nsps given stays. Without -gps and -g nothing changes.
void SettleServers(const FlagSet& flags, ServerOptions* servers);

/// Sets -nvbw by -gt and -nsps if the GPU type has a rate (gpu_types.h) and -nvbw is not given: a
/// GPU's NVLinks are shared out to its NVSwitches, in whole Mbps. Types that SimAI's generator
/// knows keep its rate unless --oversubscription is given, which SimAI has not. Returns a note to
/// the user, empty if the rate stays and is the one of the type. `flags`: as DeclareServers() bound
/// them, with the values given.
std::string SetNvLinksByGpuType(FlagSet* flags);

}  // namespace heddle
