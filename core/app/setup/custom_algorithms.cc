// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/custom_algorithms.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "collectives/choice/algorithm_list.h"
#include "collectives/custom/custom_library.h"
#include "collectives/custom/custom_proof.h"
#include "core/base/check.h"
#include "io/msccl/msccl_algorithm.h"

namespace heddle {
namespace {

constexpr std::pair<Operation, const char*> kKeys[] = {
    {Operation::kAllReduce, "algorithm.allreduce"},
    {Operation::kAllGather, "algorithm.allgather"},
    {Operation::kReduceScatter, "algorithm.reducescatter"},
    {Operation::kAllToAll, "algorithm.alltoall"}};

CustomAlgorithm Load(Operation operation, const char* key, const std::string& file) {
  CustomAlgorithm algorithm = ReadMscclAlgorithm(file);
  if (algorithm.operation != operation)
    throw UserError(fmt::format("{}: {} is an algorithm of {}. Expected: one of {}", key,
                                algorithm.file, ToText(algorithm.operation), ToText(operation)));
  ProveCustom(algorithm);
  return algorithm;
}

}  // namespace

void LoadCustomAlgorithms(CollectiveOptions* options) {
  std::shared_ptr<CustomLibrary> library;
  for (const auto& [operation, key] : kKeys) {
    const std::string file = AlgorithmFileOf(options->AlgorithmOf(operation));
    if (file.empty()) continue;
    if (library == nullptr) library = std::make_shared<CustomLibrary>();
    library->Add(Load(operation, key, file));
  }
  options->custom = std::move(library);
}

std::string DescribeCustomAlgorithms(const CollectiveOptions& options) {
  std::string text;
  if (options.custom == nullptr) return text;
  for (const auto& [operation, key] : kKeys) {
    const CustomAlgorithm* const algorithm = options.custom->Find(operation);
    if (algorithm == nullptr) continue;
    text += fmt::format("algorithm        {} ({}): {} of groups of {} GPUs; others as without it\n",
                        algorithm->file, algorithm->name, ToText(operation), algorithm->ranks());
  }
  return text;
}

}  // namespace heddle
