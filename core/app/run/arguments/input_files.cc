// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/input_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "collectives/choice/algorithm_list.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "io/chakra/chakra_files.h"
#include "io/nccl_log/nccl_files.h"
#include "io/plan/plan_file.h"
#include "io/serving/request_law_text.h"

namespace heddle {
namespace {

/// An input file other than the traffic.
struct Row {
  const char* flag;
  std::string (*file)(const RunArguments& run);
  const char* digest;
};
using Run = const RunArguments&;
using File = std::string;
constexpr Row kTopology = {"-n", [](Run run) -> File { return run.topology; }, "topology_digest"};
constexpr Row kOthers[] = {
    {"--tables", [](Run run) -> File { return run.routing.tables; }, "tables_digest"},
    {"--chakra-groups", [](Run run) -> File { return run.chakra_groups; }, "groups_digest"},
    {"-c", [](Run run) -> File { return run.conf; }, "conf_digest"},
    {"--calibration", [](Run run) -> File { return run.calibration; }, "calibration_digest"},
    {"--failures", [](Run run) -> File { return run.failures; }, "failures_digest"},
    {"--weights", [](Run run) -> File { return run.weights; }, ""}};

std::string AsItIs(const std::string& value) { return value; }

/// An option that may name a file, as a flag sets it.
struct OptionKey {
  const char* key;
  const char* digest;
  std::string (*file)(const std::string& value);  ///< which a value names; empty: none
};
constexpr OptionKey kOptionKeys[] = {
    {"algorithm.allreduce", "allreduce_digest", &AlgorithmFileOf},
    {"algorithm.allgather", "allgather_digest", &AlgorithmFileOf},
    {"algorithm.reducescatter", "reducescatter_digest", &AlgorithmFileOf},
    {"algorithm.alltoall", "alltoall_digest", &AlgorithmFileOf},
    {"chakra.allreduce", "chakra_allreduce_digest", &AsItIs},
    {"chakra.allgather", "chakra_allgather_digest", &AsItIs},
    {"chakra.reducescatter", "chakra_reducescatter_digest", &AsItIs},
    {"chakra.alltoall", "chakra_alltoall_digest", &AsItIs},
    {"experts.table", "experts_digest", &AsItIs},
    {"pipeline.schedule", "pipeline_digest", &AlgorithmFileOf}};

/// The file that the last setting of a key names; empty: none.
std::string FileOf(const RunArguments& run, const OptionKey& key) {
  const std::string begin = std::string(key.key) + "=";
  std::string value;
  for (const std::string& setting : run.settings) {
    if (setting.rfind(begin, 0) == 0) value = setting.substr(begin.size());
  }
  return key.file(value);
}

void AddRow(const Row& row, const RunArguments& run, std::vector<InputFile>* files) {
  const std::string& path = row.file(run);
  if (!path.empty()) files->push_back({row.flag, path, row.digest});
}

/// Of the file alone, if it says all.
std::string DigestOfPlan(const InputFile& file) {
  std::string digests = InputDigest(file.path);
  const std::vector<std::string> named = FilesOfPlan(ReadPlan(file.path, file.replaced));
  if (file.replaced.empty() && named.empty()) return digests;
  for (const std::string& key : file.replaced) digests += key + "\n";
  for (const std::string& other : named) digests += InputDigest(other);
  return BytesDigest(digests.data(), digests.size());
}

}  // namespace

std::vector<InputFile> InputFiles(const RunArguments& run) {
  std::vector<InputFile> files;
  AddRow(kTopology, run, &files);
  for (const TrafficSource& source : TrafficSources()) {
    const std::vector<std::string> given = source.Given(run);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string of = source.jobs != nullptr ? "job " + std::to_string(i) + " " : "";
      files.push_back({source.flag, source.FileOf(given[i]), of + source.digest});
      if (source.has_jobs() && IsPlanFile(files.back().path)) files.back().replaced = run.plan;
    }
  }
  for (const Row& row : kOthers) AddRow(row, run, &files);
  const std::string& requests = run.serving.requests;
  if (!requests.empty() && !IsRequestLaw(requests))
    files.push_back({"--requests", requests, "requests_digest"});
  for (const OptionKey& key : kOptionKeys) {
    const std::string path = FileOf(run, key);
    if (!path.empty()) files.push_back({std::string("--set ") + key.key, path, key.digest});
  }
  return files;
}

std::string DigestOf(const InputFile& file) {
  if (file.digest.find("workload_digest") != std::string::npos && IsPlanFile(file.path))
    return DigestOfPlan(file);
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(file.path, ignored);
  if (!folder && !IsChakraTrace(file.path)) return InputDigest(file.path);
  std::string digests;
  for (const std::string& part : folder ? FindNcclLogs(file.path) : FindChakraFiles(file.path))
    digests += FileDigest(part);
  return BytesDigest(digests.data(), digests.size());
}

Graph ReadTopology(const std::string& path) { return std::move(*ReadFabric(path, {}).graph); }

std::vector<std::string> InputFileFlags() {
  std::vector<std::string> flags = {kTopology.flag};
  for (const TrafficSource& source : TrafficSources()) {
    if (source.file != nullptr) flags.emplace_back(source.flag);
  }
  for (const Row& row : kOthers) flags.emplace_back(row.flag);
  return flags;
}

}  // namespace heddle
