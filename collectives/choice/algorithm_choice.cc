// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/algorithm_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/algorithms/nvls_schedule.h"
#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/nccl_choice.h"
#include "collectives/choice/protocol_choice.h"
#include "collectives/custom/custom_schedule.h"
#include "core/base/check.h"
#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr std::uint32_t kFewestForNvls = 8;  // SimAI: smallest TP group for NVLS

Algorithm DefaultAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                           const std::string& gpu_type, bool nvls) {
  if (spec.operation == Operation::kAllToAll || spec.operation == Operation::kSendRecv)
    return Algorithm::kDirect;
  const bool has_nvls = nvls && HasNvls(gpu_type) && WhyNoNvls(shape).empty();
  if (!has_nvls || spec.group != GroupType::kTensor || shape.ranks() < kFewestForNvls)
    return Algorithm::kRing;
  if (spec.operation == Operation::kAllReduce) return Algorithm::kNvls;
  return spec.operation == Operation::kAllGather ? Algorithm::kNvlsTree : Algorithm::kRing;
}

/// The row with this option value; null: "auto" or "fastest".
const AlgorithmRow* RowByWord(const std::string& word) {
  for (const AlgorithmRow& row : AlgorithmRows()) {
    if (row.word != nullptr && word == row.word) return &row;
  }
  return nullptr;
}

void RequirePossible(const AlgorithmRow& row, const CollectiveSpec& spec, const GroupShape& shape,
                     const CollectiveOptions& options) {
  const std::string obstacle = WhyNot(row, spec.operation, shape, options);
  if (obstacle.empty()) return;
  const bool lacks_trees = row.uses_trees && obstacle == shape.why_no_trees();
  throw UserError(
      fmt::format("{} of a {} group of {} GPUs by {}: {}{}", ToText(spec.operation),
                  ToText(spec.group), shape.ranks(), row.word, obstacle,
                  lacks_trees ? ". With algorithm.choice=nccl it would take the next best" : ""));
}

/// What the options ask for; null: nothing. Throws UserError if nothing of it is simulated.
const AlgorithmRow* AskedRow(const CollectiveSpec& spec, const GroupShape& shape,
                             const CollectiveOptions& options) {
  const std::string& value = options.AlgorithmOf(spec.operation);
  const std::string word = SimcclAlgorithm(spec.operation, value);
  if (word.empty()) {
    throw UserError(fmt::format("{} of a {} group of {} GPUs by {}: not simulated. Expected: {}",
                                ToText(spec.operation), ToText(spec.group), shape.ranks(), value,
                                fmt::join(WordsFor(spec.operation), ", ")));
  }
  return RowByWord(word);
}

Algorithm AlgorithmOf(const CollectiveSpec& spec, const GroupShape& shape,
                      const std::string& gpu_type, const CollectiveOptions& options) {
  const AlgorithmRow* asked = AskedRow(spec, shape, options);
  if (asked != nullptr) RequirePossible(*asked, spec, shape, options);
  const AlgorithmRow& row =
      asked != nullptr ? *asked : RowOf(DefaultAlgorithm(spec, shape, gpu_type, options.nvls));
  return shape.servers() > 1 ? row.over_servers : row.in_one_server;
}

/// Whether the options leave it to NCCL's prediction which of ring and tree an AllReduce is.
bool IsPredicted(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                 const CollectiveOptions& options) {
  return spec.operation == Operation::kAllReduce && options.allreduce == kFastestAlgorithm &&
         algorithm == Algorithm::kRing && shape.ranks() > 1;
}

/// Whether they leave it to NCCL's prediction which of ring and PAT an operation is.
bool IsRingOrPat(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                 const CollectiveOptions& options) {
  const AlgorithmRow& pat = RowOf(Algorithm::kPat);
  return options.pat && pat.Does(spec.operation) &&
         options.AlgorithmOf(spec.operation) == kFastestAlgorithm &&
         algorithm == Algorithm::kRing && shape.ranks() > 1 && pat.obstacle(shape, options).empty();
}

/// The ring, unless a tree is faster.
Algorithm FasterOfRingAndTree(const CollectiveSpec& spec, const GroupShape& shape,
                              const std::string& gpu_type, const CollectiveOptions& options) {
  const auto seconds = [&](Algorithm algorithm) {
    return PredictedAllReduce(spec, algorithm, shape, gpu_type, options).seconds;
  };
  return seconds(Algorithm::kTree) < seconds(Algorithm::kRing) ? Algorithm::kTree
                                                               : Algorithm::kRing;
}

/// The protocol of NCCL's prediction for an AllReduce by ring or tree, chosen or asked for.
Protocol ProtocolFor(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                     const std::string& gpu_type, const CollectiveOptions& options) {
  const bool tuned = spec.operation == Operation::kAllReduce && !options.by_send_latency() &&
                     (algorithm == Algorithm::kRing || algorithm == Algorithm::kTree);
  return tuned && shape.ranks() > 1
             ? PredictedAllReduce(spec, algorithm, shape, gpu_type, options).protocol
             : ChooseProtocol(spec, algorithm, shape, options);
}

/// What algorithm.nvls=multimem puts in the place of an algorithm.
Algorithm WithMultimem(Algorithm algorithm, const CollectiveSpec& spec, const GroupShape& shape) {
  if (algorithm == Algorithm::kNvls) return Algorithm::kNvlsMultimem;
  const AlgorithmRow& trees = RowOf(Algorithm::kNvlsTreeMultimem);
  const bool has_trees = algorithm == Algorithm::kNvlsTree && trees.Does(spec.operation) &&
                         trees.obstacle(shape, {}).empty();
  return has_trees ? trees.algorithm : algorithm;
}

/// Whether messages may change rails between servers, which is so unless all ranks are on one rail.
bool CrossesRails(const GroupShape& shape) {
  if (shape.servers() == 1) return false;
  for (Participant rank = 1; rank < shape.ranks(); ++rank) {
    if (shape.rail(rank) != shape.rail(0)) return true;
  }
  return false;
}

/// SimCCL's choice, without PXN.
AlgorithmChoice ChooseAsSimccl(const CollectiveSpec& spec, const GroupShape& shape,
                               const std::string& gpu_type, const CollectiveOptions& options) {
  AlgorithmChoice choice;
  choice.algorithm = AlgorithmOf(spec, shape, gpu_type, options);
  if (IsPredicted(spec, choice.algorithm, shape, options))
    choice.algorithm = FasterOfRingAndTree(spec, shape, gpu_type, options);
  if (IsRingOrPat(spec, choice.algorithm, shape, options) &&
      PatIsFaster(spec, shape, gpu_type, options))
    choice.algorithm = Algorithm::kPat;
  choice.protocol = ProtocolFor(spec, choice.algorithm, shape, gpu_type, options);
  return choice;
}

/// By NCCL's tuner if the options ask for it, unless they name an algorithm that it has not.
AlgorithmChoice Choose(const CollectiveSpec& spec, const GroupShape& shape,
                       const std::string& gpu_type, const CollectiveOptions& options) {
  if (!ChoosesAsNccl(spec, shape, options)) return ChooseAsSimccl(spec, shape, gpu_type, options);
  if (const auto found = FindAsNccl(spec, shape, gpu_type, options)) return *found;
  if (NamesOne(spec.operation, gpu_type, options))
    return ChooseAsSimccl(spec, shape, gpu_type, options);
  RefuseAsNccl(spec, shape, gpu_type, options);
}

/// The algorithm of the file that the options name, where it is for such a group.
std::optional<AlgorithmChoice> ChooseFromFile(const CollectiveSpec& spec, const GroupShape& shape,
                                              const CollectiveOptions& options) {
  const std::string& value = options.AlgorithmOf(spec.operation);
  if (AlgorithmFileOf(value).empty()) return {};
  if (options.custom == nullptr)
    throw UserError(
        fmt::format("{} by {}: algorithms of files are for heddle run, bench, sweep and "
                    "collective. Expected: one of them, or another algorithm",
                    ToText(spec.operation), Printable(value)));
  if (!WhyNoCustom(spec.operation, shape, options).empty()) return {};
  AlgorithmChoice choice;
  choice.algorithm = Algorithm::kCustom;
  choice.protocol =
      options.plain() ? Protocol::kNone : options.custom->Find(spec.operation)->protocol;
  return choice;
}

}  // namespace

AlgorithmChoice ChooseAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                                const std::string& gpu_type, const CollectiveOptions& options) {
  if (const auto choice = ChooseFromFile(spec, shape, options)) return *choice;
  AlgorithmChoice choice = Choose(spec, shape, gpu_type, options);
  if (options.nvls_form == CollectiveOptions::NvlsForm::kMultimem)
    choice.algorithm = WithMultimem(choice.algorithm, spec, shape);
  choice.pxn = options.pxn && RowOf(choice.algorithm).crosses_by_pxn && CrossesRails(shape);
  return choice;
}

}  // namespace heddle
