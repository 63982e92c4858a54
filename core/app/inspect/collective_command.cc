// SPDX-License-Identifier: GPL-2.0-only
/// `heddle collective`: lists the messages of one collective operation, without a fabric and
/// without a run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/nccl_environment.h"
#include "collectives/schedule/explicit_flows_text.h"
#include "collectives/schedule/parse_operation.h"
#include "core/app/arguments/output_conflicts.h"
#include "core/app/cli/commands.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/inspect/phases_text.h"
#include "core/app/setup/like.h"
#include "core/options/nearest_name.h"
#include "core/options/options.h"
#include "core/options/token_reader.h"
#include "topology/graph/gpu_types.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostGpusPerServer = 1024;
constexpr std::int64_t kMostNvSwitches = 64;  // of a server

struct CollectiveArguments {
  std::string operation, bytes, group = "TP", gpu_type = "H100", format = "table", output;
  std::int64_t ranks = 0, gpus_per_server = 8, nvswitches = 1, root = 0;
  std::optional<std::int64_t> peer;
  std::string phases, form;
  std::int64_t rank = 0;
  std::vector<std::string> settings;
  bool force = false;
};

bool ParseCollectiveArguments(const std::vector<std::string>& arguments,
                              CollectiveArguments* given) {
  std::string type_names;
  for (const GpuType& type : GpuTypes())
    type_names += (type_names.empty() ? "" : "|") + std::string(type.name);
  CLI::App app("List the messages that a collective operation is made of.", "collective");
  app.add_option("OPERATION", given->operation, "what the group does")
      ->required()
      ->type_name("allreduce|allgather|reducescatter|alltoall|broadcast|reduce|sendrecv");
  app.add_option("-r,--ranks", given->ranks,
                 "GPUs of the group; rank r is GPU r; with --phases: their product");
  app.add_option("-b,--bytes", given->bytes, "of the full buffer, such as 16MiB")
      ->required()
      ->type_name("SIZE");
  app.add_option("--gpus-per-server", given->gpus_per_server, "the last server may have fewer")
      ->capture_default_str();
  app.add_option("--nvswitches", given->nvswitches, "of each server")->capture_default_str();
  app.add_option("--group", given->group,
                 "kind of group, which the choice of the algorithm asks for")
      ->capture_default_str()
      ->type_name("TP|DP|PP|EP|DP_EP|ALL");
  app.add_option("--gpu-type", given->gpu_type, "type of GPU, which it asks for too")
      ->capture_default_str()
      ->type_name(type_names);
  app.add_option("--root", given->root, "rank that broadcasts, reduces or sends")
      ->capture_default_str();
  app.add_option("--peer", given->peer,
                 "rank that sendrecv sends to; without: every rank to the next");
  app.add_option("--phases", given->phases,
                 "in phases over these dimensions, such as 2x4x4: what one rank does")
      ->type_name("SIZES");
  app.add_option("--form", given->form, "of phases: each dimension by itself, or packages first")
      ->type_name("baseline|enhanced");
  app.add_option("--rank", given->rank, "of phases: whose messages are listed")
      ->capture_default_str();
  app.add_option("--set", given->settings,
                 "KEY=VALUE, such as algorithm.allreduce=tree; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--format", given->format, "dot: for Graphviz")
      ->capture_default_str()
      ->type_name("table|csv|dot");
  app.add_option("-o,--output", given->output, "file for the messages; without: standard output")
      ->type_name("FILE");
  app.add_flag("--force", given->force, "replace an existing file");
  app.footer(Examples({"heddle collective allreduce --ranks 8 --bytes 16MiB",
                       "heddle collective allreduce -r 4 -b 1MiB --set algorithm.allreduce=tree "
                       "--format dot | dot -Tsvg > tree.svg",
                       "heddle collective allreduce -b 1MiB --phases 2x4x4 --form enhanced"}));
  return ParseArguments(&app, arguments);
}

void CheckRange(const std::string& flag, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw UsageError(
      fmt::format("{}: found {}. Expected: a number from {} to {}", flag, value, low, high));
}

std::int64_t ParseBytesFlag(const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = ParseBytes(text).count;
  } catch (const UserError& error) {
    throw UsageError(std::string("--bytes: ") + error.what());
  }
  if (bytes <= 0)
    throw UsageError("--bytes: found " + Printable(text) +
                     ". Expected: a size above 0, such as 16MiB");
  return bytes;
}

CollectiveSpec MakeSpec(const CollectiveArguments& given) {
  CheckRange("--ranks", given.ranks, 1, kMaxNodes);
  CheckRange("--gpus-per-server", given.gpus_per_server, 1, kMostGpusPerServer);
  CheckRange("--nvswitches", given.nvswitches, 0, kMostNvSwitches);
  CheckRange("--root", given.root, 0, given.ranks - 1);
  CollectiveSpec spec;
  spec.operation = ParseOperation("OPERATION", given.operation);
  spec.group = ParseGroupType("--group", given.group);
  spec.bytes = ParseBytesFlag(given.bytes);
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

CollectiveOptions MakeOptions(const CollectiveArguments& given) {
  CollectiveOptions values;
  OptionSet options;
  std::string like;
  values.Declare(&options);
  DeclareLike(&options, &like);
  Environment environment;
  for (const EnvironmentVariable& variable : NcclVariables().variables) {
    if (const char* value = std::getenv(variable.name.c_str()))
      environment.emplace_back(variable.name, value);
  }
  std::vector<std::string> echo, warnings;
  ApplyEnvironment(NcclVariables(), environment, &options, &echo, &warnings);
  options.SetAll(given.settings);
  ApplyLike({like, "", environment, given.settings, given.nvswitches > 0}, &options);
  return values;
}

std::string Head(const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupShape& shape,
                 const Schedule* schedule) {
  return fmt::format(
      "operation   {} of {} bytes over {} ranks in {} server{}\nalgorithm   {}{}\nprotocol    "
      "{}\nchannels    {}\n"
      "flows       {}\n",
      ToText(spec.operation), spec.bytes, shape.ranks(), shape.servers(),
      shape.servers() == 1 ? "" : "s", ToText(choice.algorithm), choice.pxn ? " with PXN" : "",
      ToText(choice.protocol), schedule != nullptr ? schedule->channels() : 0,
      schedule != nullptr ? schedule->flow_count() : 0);
}

/// Bytes that a rank puts on the wire.
std::string SentLine(const GroupShape& shape, const std::vector<SingleFlow>& flows) {
  std::vector<std::int64_t> sent(shape.ranks());
  for (const SingleFlow& flow : flows) {
    if (flow.src.value < shape.ranks())
      sent[flow.src.value] += flow.bytes;  // rank r is GPU r; NVSwitches follow
  }
  const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
  return fmt::format("sent        {} to {} bytes by each rank\n\n", *least, *most);
}

/// The product of "2x4x4"; 0 if it is none, or too large. LogicalShape() says what is wrong.
std::int64_t ProductOf(const std::string& sizes) {
  std::int64_t product = 1;
  for (std::size_t begin = 0; begin <= sizes.size() && product > 0;) {
    const std::size_t end = std::min(sizes.find('x', begin), sizes.size());
    const auto size = ReadNumber<std::int64_t>(sizes.substr(begin, end - begin));
    product = size && *size > 0 && *size <= kMaxNodes / product ? product * *size : 0;
    begin = end + 1;
  }
  return product;
}

/// Lists what one rank does in phases.
void ListPhases(CollectiveArguments given) {
  if (given.format == "dot")
    throw UsageError("--format dot: not of phases. Expected: table or csv");
  if (given.ranks == 0) given.ranks = std::max<std::int64_t>(ProductOf(given.phases), 1);
  PhasesRequest request;
  request.spec = MakeSpec(given);
  CheckRange("--rank", given.rank, 0, given.ranks - 1);
  request.options = MakeOptions(given).phased;
  request.options.layout = given.phases;
  if (!given.form.empty()) request.options.collectives = given.form;
  if (request.options.collectives != "enhanced") request.options.collectives = "baseline";
  request.ranks = static_cast<std::uint32_t>(given.ranks);
  request.rank = static_cast<std::uint32_t>(given.rank);
  const bool csv = given.format == "csv";
  if (!csv) WriteText("-", PhasesHead(request));
  WriteText(given.output, PhasesMessages(request, csv));
}

}  // namespace

int CollectiveCommand(const std::vector<std::string>& arguments) {
  CollectiveArguments given;
  if (!ParseCollectiveArguments(arguments, &given)) return 0;
  CheckOutputs({{"-o", given.output}}, {}, given.force);
  const std::vector<std::string> formats = {"table", "csv", "dot"};
  if (std::find(formats.begin(), formats.end(), given.format) == formats.end()) {
    throw UsageError("--format: found '" + Printable(given.format) + "'." +
                     DidYouMean(given.format, formats) + " Expected: table, csv or dot");
  }
  if (!given.form.empty() && given.form != "baseline" && given.form != "enhanced")
    throw UsageError("--form: found '" + Printable(given.form) +
                     "'. Expected: baseline or enhanced, with --phases");
  if (given.phases.empty() && !given.form.empty())
    throw UsageError("--form: there are no phases. Expected: --phases SIZES as well");
  if (!given.phases.empty()) {
    ListPhases(given);
    return 0;
  }
  if (given.ranks == 0) throw UsageError("--ranks is required");
  const CollectiveSpec spec = MakeSpec(given);
  const CollectiveOptions options = MakeOptions(given);
  const GroupShape shape(static_cast<std::uint32_t>(given.ranks),
                         static_cast<std::uint32_t>(given.gpus_per_server),
                         static_cast<std::uint32_t>(given.nvswitches));
  const AlgorithmChoice choice = ChooseAlgorithm(spec, shape, given.gpu_type, options);
  const auto schedule = MakeSchedule(spec, choice, shape, options);
  if (given.format == "table") WriteText("-", Head(spec, choice, shape, schedule.get()));
  const std::vector<SingleFlow> flows =
      schedule ? MakeExplicitFlows(*schedule, shape) : std::vector<SingleFlow>();
  if (given.format == "csv") {
    WriteText(given.output, FlowsAsCsv(flows));
  } else if (given.format == "dot") {
    WriteText(given.output, FlowsAsDot(flows));
  } else {
    WriteText("-", SentLine(shape, flows));
    WriteText(given.output, FlowsAsTable(flows));
  }
  return 0;
}

}  // namespace heddle
