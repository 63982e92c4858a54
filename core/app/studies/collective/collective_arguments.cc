// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/collective_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "collectives/choice/nccl_environment.h"
#include "collectives/schedule/parse_operation.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/setup/custom_algorithms.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/setup/like.h"
#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "core/options/nearest_name.h"
#include "core/options/options.h"
#include "topology/graph/gpu_types.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostGpusPerServer = 1024;
constexpr std::int64_t kMostNvSwitches = 64;  // of a server
constexpr std::int64_t kUsualFactor = 2, kMostFactor = 1024;
constexpr const char* kBytesFlag = "--bytes";

void AddGroupFlags(CLI::App* app, CollectiveArguments* given) {
  std::string type_names;
  for (const GpuType& type : GpuTypes())
    type_names += (type_names.empty() ? "" : "|") + std::string(type.name);
  app->add_option("OPERATION", given->operation, "what the group does")
      ->required()
      ->type_name("allreduce|allgather|reducescatter|alltoall|broadcast|reduce|sendrecv");
  app->add_option("-r,--ranks", given->ranks,
                  "GPUs of the group; rank r is GPU r; with --phases: their product");
  app->add_option("-b,--bytes", given->bytes, "of the full buffer, such as 16MiB")
      ->required()
      ->type_name("SIZE");
  app->add_option("--gpus-per-server", given->gpus_per_server, "the last server may have fewer")
      ->capture_default_str();
  app->add_option("--nvswitches", given->nvswitches, "of each server")->capture_default_str();
  app->add_option("--group", given->group,
                  "kind of group, which the choice of the algorithm asks for")
      ->capture_default_str()
      ->type_name("TP|DP|PP|EP|DP_EP|ALL");
  app->add_option("--gpu-type", given->gpu_type, "type of GPU, which it asks for too")
      ->capture_default_str()
      ->type_name(type_names);
  app->add_option("--root", given->root, "rank that broadcasts, reduces or sends")
      ->capture_default_str();
  app->add_option("--peer", given->peer,
                  "rank that sendrecv sends to; without: every rank to the next");
}

void AddOtherFlags(CLI::App* app, CollectiveArguments* given) {
  app->add_option("--phases", given->phases,
                  "in phases over these dimensions, such as 2x4x4: what one rank does")
      ->type_name("SIZES");
  app->add_option("--form", given->form, "of phases: each dimension by itself, or packages first")
      ->type_name("baseline|enhanced");
  app->add_option("--rank", given->rank, "of phases: whose messages are listed")
      ->capture_default_str();
  app->add_flag("--tune", given->tune,
                "what NCCL's tuner predicts of each algorithm and protocol, and what it chooses");
  app->add_option("-e,--maxbytes", given->most_bytes, "with --tune: the largest size")
      ->type_name("SIZE");
  app->add_option("-f,--stepfactor", given->factor, "with --tune: from one size to the next (2)");
  app->add_option("--set", given->settings,
                  "KEY=VALUE, such as algorithm.allreduce=tree; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_option("--format", given->format, "dot: for Graphviz")
      ->capture_default_str()
      ->type_name("table|csv|dot");
  app->add_option("-o,--output", given->output, "file for the messages; without: standard output")
      ->type_name("FILE");
  app->add_flag("--force", given->force, "replace an existing file");
  AddJsonFlag(app, &given->json);
}

void CheckFormat(const CollectiveArguments& given) {
  const std::vector<std::string> formats = {"table", "csv", "dot"};
  if (std::find(formats.begin(), formats.end(), given.format) == formats.end()) {
    throw UsageError("--format: found '" + Printable(given.format) + "'." +
                     DidYouMean(given.format, formats) + " Expected: table, csv or dot");
  }
  if (given.format != "dot") return;
  if (!given.phases.empty())
    throw UsageError("--format dot: not of phases. Expected: table or csv");
  if (given.tune) throw UsageError("--format dot: not of --tune. Expected: table or csv");
}

void CheckTogether(const CollectiveArguments& given) {
  if (given.json && (given.format != "table" || !given.output.empty()))
    throw UsageError("--json goes to standard output. Expected: without --format and -o");
  if (!given.form.empty() && given.form != "baseline" && given.form != "enhanced")
    throw UsageError("--form: found '" + Printable(given.form) +
                     "'. Expected: baseline or enhanced, with --phases");
  if (given.phases.empty() && !given.form.empty())
    throw UsageError("--form: there are no phases. Expected: --phases SIZES as well");
  if (given.tune && !given.phases.empty())
    throw UsageError("--tune: NCCL knows no phases. Expected: --tune or --phases");
  if (!given.tune && !given.most_bytes.empty())
    throw UsageError("--maxbytes: one size is listed. Expected: --tune as well");
  if (!given.tune && given.factor != 0)
    throw UsageError("--stepfactor: one size is listed. Expected: --tune as well");
  if (given.phases.empty() && given.ranks == 0) throw UsageError("--ranks is required");
}

std::int64_t BytesOfFlag(const std::string& flag, const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = ParseBytes(text).count;
  } catch (const UserError& error) {
    throw UsageError(flag + ": " + error.what());
  }
  if (bytes <= 0)
    throw UsageError(flag + ": found " + Printable(text) +
                     ". Expected: a size above 0, such as 16MiB");
  return bytes;
}

}  // namespace

bool ParseCollectiveArguments(const std::vector<std::string>& arguments,
                              CollectiveArguments* given) {
  CLI::App app(
      "List the messages that a collective operation is made of, or what NCCL's tuner predicts.",
      "collective");
  AddGroupFlags(&app, given);
  AddOtherFlags(&app, given);
  app.footer(Examples({"heddle collective allreduce --ranks 8 --bytes 16MiB",
                       "heddle collective allreduce -r 4 -b 1MiB --set algorithm.allreduce=tree "
                       "--format dot | dot -Tsvg > tree.svg",
                       "heddle collective allreduce -b 1MiB --phases 2x4x4 --form enhanced",
                       "heddle collective allreduce -r 128 -b 8KiB -e 1GiB -f 8 --tune"}));
  if (!ParseArguments(&app, arguments)) return false;
  CheckFormat(*given);
  CheckTogether(*given);
  return true;
}

void CheckRange(const std::string& flag, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw UsageError(
      fmt::format("{}: found {}. Expected: a number from {} to {}", flag, value, low, high));
}

CollectiveSpec SpecOf(const CollectiveArguments& given) {
  CheckRange("--ranks", given.ranks, 1, kMaxNodes);
  CheckRange("--gpus-per-server", given.gpus_per_server, 1, kMostGpusPerServer);
  CheckRange("--nvswitches", given.nvswitches, 0, kMostNvSwitches);
  CheckRange("--root", given.root, 0, given.ranks - 1);
  CollectiveSpec spec;
  spec.operation = ParseOperation("OPERATION", given.operation);
  spec.group = ParseGroupType("--group", given.group);
  spec.bytes = BytesOfFlag(kBytesFlag, given.bytes);
  spec.root = static_cast<Participant>(given.root);
  if (!given.peer) return spec;
  CheckRange("--peer", *given.peer, 0, given.ranks - 1);
  if (spec.operation != Operation::kSendRecv)
    throw UsageError("--peer: only sendrecv has one. Expected: no --peer");
  if (*given.peer == given.root)
    throw UsageError("--peer: the rank that sends (--root). Expected: another rank");
  spec.peer = static_cast<Participant>(*given.peer);
  return spec;
}

std::vector<std::int64_t> SizesToTune(const CollectiveArguments& given) {
  const std::int64_t from = BytesOfFlag(kBytesFlag, given.bytes);
  const std::int64_t to =
      given.most_bytes.empty() ? from : BytesOfFlag("--maxbytes", given.most_bytes);
  const std::int64_t factor = given.factor == 0 ? kUsualFactor : given.factor;
  CheckRange("--stepfactor", factor, 2, kMostFactor);
  if (to < from) {
    throw UsageError(fmt::format("--maxbytes: found {}. Expected: at least --bytes {}",
                                 Printable(given.most_bytes), Printable(given.bytes)));
  }
  std::vector<std::int64_t> sizes = {from};
  while (sizes.back() <= to / factor) sizes.push_back(sizes.back() * factor);
  return sizes;
}

CollectiveOptions OptionsOf(const CollectiveArguments& given) {
  CollectiveOptions values;
  OptionSet options;
  std::string like;
  values.Declare(&options);
  DeclareLike(&options, &like);
  if (given.tune) options.Preset("algorithm.choice", ToText(CollectiveOptions::Choice::kNccl));
  Environment environment;
  for (const EnvironmentVariable& variable : NcclVariables().variables) {
    if (const char* value = std::getenv(variable.name.c_str()))
      environment.emplace_back(variable.name, value);
  }
  std::vector<std::string> echo, warnings;
  ApplyEnvironment(NcclVariables(), environment, &options, &echo, &warnings);
  options.SetAll(given.settings);
  LoadCustomAlgorithms(&values);
  ApplyLike({like, "", environment, given.settings, given.nvswitches > 0}, &options);
  FitToHardware({given.gpu_type, false, 0, 0}, &options, &values);
  return values;
}

GroupShape ShapeOf(const CollectiveArguments& given) {
  return GroupShape(static_cast<std::uint32_t>(given.ranks),
                    static_cast<std::uint32_t>(given.gpus_per_server),
                    static_cast<std::uint32_t>(given.nvswitches));
}

}  // namespace heddle
