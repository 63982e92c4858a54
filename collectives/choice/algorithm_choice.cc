// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/algorithm_choice.h"

#include <fmt/format.h>

#include "collectives/choice/protocol_choice.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFewestForNvls = 8;  // SimAI: TP groups from here on

/// GPU types that SimAI knows to reduce in their NVSwitches; others are taken for an A100.
bool HasNvls(const std::string& gpu_type) { return gpu_type == "H100" || gpu_type == "H800"; }

bool HasNvSwitches(const GroupShape& shape) {
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    if (shape.nvswitches(server) == 0) return false;
  }
  return true;
}

/// What the options name for this operation; "auto" where they name nothing.
std::string AskedAlgorithm(Operation operation, const CollectiveOptions& options) {
  if (operation == Operation::kAllReduce) return options.allreduce;
  if (operation == Operation::kAllGather) return options.allgather;
  if (operation == Operation::kReduceScatter) return options.reducescatter;
  return "auto";
}

Algorithm DefaultAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                           const std::string& gpu_type, bool nvls) {
  if (spec.operation == Operation::kAllToAll || spec.operation == Operation::kSendRecv)
    return Algorithm::kDirect;
  const bool has_nvls = nvls && HasNvls(gpu_type) && HasNvSwitches(shape);
  if (!has_nvls || spec.group != GroupType::kTensor || shape.ranks() < kFewestForNvls)
    return Algorithm::kRing;
  if (spec.operation == Operation::kAllReduce) return Algorithm::kNvls;
  return spec.operation == Operation::kAllGather ? Algorithm::kNvlsTree : Algorithm::kRing;
}

void RequireNvSwitches(const CollectiveSpec& spec, const GroupShape& shape,
                       const std::string& asked) {
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    if (shape.nvswitches(server) > 0) continue;
    throw UserError(fmt::format(
        "{} of a {} group of {} GPUs by {}: GPU {} and the GPUs of its server that are in the "
        "group share no "
        "NVSwitch (NVLS reduces there). Expected: a fabric with NVSwitches, or algorithm ring",
        ToText(spec.operation), ToText(spec.group), shape.ranks(), asked,
        shape.node(shape.local(server, 0)).value));
  }
}

Algorithm AlgorithmOf(const CollectiveSpec& spec, const GroupShape& shape,
                      const std::string& gpu_type, const CollectiveOptions& options) {
  const std::string asked = AskedAlgorithm(spec.operation, options);
  if (asked == "ring") return Algorithm::kRing;
  if (asked == "tree") return Algorithm::kTree;
  const bool asked_nvls = asked == "nvls" || asked == "nvls_tree";
  if (asked_nvls) RequireNvSwitches(spec, shape, asked);
  const Algorithm algorithm =
      asked_nvls ? Algorithm::kNvls : DefaultAlgorithm(spec, shape, gpu_type, options.nvls);
  if (algorithm != Algorithm::kNvls && algorithm != Algorithm::kNvlsTree) return algorithm;
  return shape.servers() > 1 ? Algorithm::kNvlsTree : Algorithm::kNvls;
}

/// Whether some message may go to another rail of another server: as soon as not all ranks are on
/// one rail.
bool CrossesRails(const GroupShape& shape) {
  if (shape.servers() == 1) return false;
  for (Participant rank = 1; rank < shape.ranks(); ++rank) {
    if (shape.rail(rank) != shape.rail(0)) return true;
  }
  return false;
}

}  // namespace

AlgorithmChoice ChooseAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                                const std::string& gpu_type, const CollectiveOptions& options) {
  AlgorithmChoice choice;
  choice.algorithm = AlgorithmOf(spec, shape, gpu_type, options);
  choice.protocol = ChooseProtocol(spec, choice.algorithm, shape, options);
  const bool may_cross =
      choice.algorithm == Algorithm::kRing || choice.algorithm == Algorithm::kDirect;
  choice.pxn = options.pxn && may_cross && CrossesRails(shape);
  return choice;
}

}  // namespace heddle
