// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/nic_ports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {

const std::vector<std::string>& NicPortsWords() {
  static const std::vector<std::string> kWords = {"hash", "round-robin"};
  return kWords;
}

NicPorts ParseNicPorts(const std::string& word) {
  const std::vector<std::string>& words = NicPortsWords();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw UserError(
        fmt::format("nic.ports \"{}\". Expected: {}", Printable(word), fmt::join(words, " or ")));
  }
  return static_cast<NicPorts>(found - words.begin());
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
