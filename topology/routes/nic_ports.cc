// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/nic_ports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {

NicPorts ParseNicPorts(const std::string& word) {
  const std::optional<NicPorts> found = FindWord<NicPorts>(word);
  if (!found) {
    throw UserError(fmt::format("nic.ports \"{}\". Expected: {}", Printable(word),
                                fmt::join(AllWords<NicPorts>(), " or ")));
  }
  return *found;
}

std::size_t ChooseNicPort(NicPorts how, std::uint32_t gpus_per_server, const NicFlow& flow,
                          std::size_t count) {
  if (how == NicPorts::kHash) {
    return EcmpHash(MakeFlowKey(flow.from, flow.to, flow.source_port, flow.destination_port),
                    kNicHashSeed) %
           count;
  }
  const auto place = [&](NodeId gpu) {
    return std::size_t{gpu.value / gpus_per_server} + gpu.value % gpus_per_server;
  };
  return (place(flow.from) + place(flow.to) + flow.source_port + flow.destination_port) % count;
}

}  // namespace heddle
