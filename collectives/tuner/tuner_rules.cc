// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_rules.h"

#include <fmt/format.h>

#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostOfCollNet = 8;     // ranks in a server: NCCL_MAX_DIRECT_ARITY + 1
constexpr std::uint32_t kMostOfNvlsParts = 32;  // likewise, AllGather and ReduceScatter by NVLS

std::string WhyNoCollNet(const TunerGroup& group, const TunerRules& rules) {
  if (!rules.collnet) return "collective.collnet=false (NCCL_COLLNET_ENABLE=1 turns it on)";
  if (group.servers < rules.collnet_servers) {
    return fmt::format(
        "{} server{}, collective.collnet_servers={} (NCCL_COLLNET_NODE_THRESHOLD) asks for more",
        group.servers, group.one_server() ? "" : "s", rules.collnet_servers);
  }
  return "";
}

std::string WhyNoDirectOrChain(TunerAlgorithm algorithm, const TunerGroup& group,
                               const TunerRules& rules) {
  if (std::string why = WhyNoCollNet(group, rules); !why.empty()) return why;
  if (group.most_locals > kMostOfCollNet)
    return fmt::format("{} GPUs in a server, at most {} can", group.most_locals, kMostOfCollNet);
  if (algorithm == TunerAlgorithm::kCollNetDirect && !group.has_nvswitches)
    return "a server without NVSwitches";
  return "";
}

/// NVLS and NVLS-Tree.
std::string WhyNoSharp(const TunerGroup& group, const TunerRules& rules) {
  if (!rules.nvls) return "collective.nvls=false (NCCL_NVLS_ENABLE)";
  if (!HasNvls(group.gpu_type))
    return fmt::format("NVSwitches of GPU type {} do not reduce",
                       group.gpu_type.empty() ? "\"\"" : group.gpu_type);
  if (!group.has_nvswitches) return "a server without NVSwitches";
  return group.fewest_locals < 2 ? "a server with one GPU of the group" : "";
}

std::string WhyNoNvlsOf(Operation operation, const TunerGroup& group, const TunerRules& rules) {
  if (std::string why = WhyNoSharp(group, rules); !why.empty()) return why;
  if (operation != Operation::kAllReduce && group.most_locals > kMostOfNvlsParts)
    return fmt::format("{} GPUs in a server, at most {} can", group.most_locals, kMostOfNvlsParts);
  if (group.one_server()) return "";
  const std::string why = WhyNoCollNet(group, rules);
  if (!why.empty()) return "several servers need CollNet: " + why;
  if (operation != Operation::kAllReduce && group.most_locals > group.fewest_locals)
    return "servers with more GPUs than others";
  return "";
}

std::string WhyNoPatOf(const TunerGroup& group, const TunerRules& rules) {
  if (!rules.pat) return "collective.pat=false (NCCL_PAT_ENABLE=0)";
  if (group.one_gpu_a_server() || rules.pat_forced) return "";
  return "several GPUs in a server (collective.pat_forced=true, NCCL_PAT_ENABLE=1, takes them)";
}

}  // namespace

std::string WhyOff(Operation operation, TunerAlgorithm algorithm, const TunerGroup& group,
                   const TunerRules& rules) {
  const TunerAlgorithmRow& row = RowOf(algorithm);
  if (!row.Does(operation)) return fmt::format("NCCL has none for {}", ToText(operation));
  if (!rules.Allows(algorithm)) return "not among those asked for (algorithm.*, NCCL_ALGO)";
  if (row.simple_only && !rules.Allows(Protocol::kSimple))
    return "has SIMPLE only, which is not asked for (collective.protocol, NCCL_PROTO)";
  switch (algorithm) {
    case TunerAlgorithm::kTree:
    case TunerAlgorithm::kRing:
      break;
    case TunerAlgorithm::kCollNetDirect:
    case TunerAlgorithm::kCollNetChain:
      return WhyNoDirectOrChain(algorithm, group, rules);
    case TunerAlgorithm::kNvls:
      return WhyNoNvlsOf(operation, group, rules);
    case TunerAlgorithm::kNvlsTree:
      return group.one_server() ? "one server: NVLS without a tree" : WhyNoSharp(group, rules);
    case TunerAlgorithm::kPat:
      return WhyNoPatOf(group, rules);
  }
  return "";
}

std::string WhyOff(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group,
                   const TunerRules& rules) {
  if (RowOf(algorithm).simple_only && protocol != Protocol::kSimple) return "has SIMPLE only";
  if (!rules.Allows(protocol)) return "not asked for (collective.protocol, NCCL_PROTO)";
  const bool named = rules.protocols != TunerRules::kAllProtocols;
  if (protocol == Protocol::kLl128 && !group.has_nvlinks() && !named)
    return "a server without NVSwitches: only if it is asked for";
  return "";
}

}  // namespace heddle
