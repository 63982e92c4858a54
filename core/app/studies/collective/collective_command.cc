// SPDX-License-Identifier: GPL-2.0-only
/// `heddle collective`: lists the messages of one collective operation, or what NCCL's tuner
/// predicts of it, without a fabric and without a run.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/nccl_choice.h"
#include "collectives/schedule/explicit_flows_text.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/studies/collective/collective_arguments.h"
#include "core/app/studies/collective/messages_json.h"
#include "core/app/studies/collective/phases_text.h"
#include "core/app/studies/collective/tune_text.h"
#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

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
  const auto [least, most] = SentByRanks(shape, flows);
  return fmt::format("sent        {} to {} bytes by each rank\n\n", least, most);
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
  if (given.ranks == 0) given.ranks = std::max<std::int64_t>(ProductOf(given.phases), 1);
  PhasesRequest request;
  request.spec = SpecOf(given);
  CheckRange("--rank", given.rank, 0, given.ranks - 1);
  request.options = OptionsOf(given).phased;
  request.options.layout = given.phases;
  PhasedOptions::Form& form = request.options.collectives;
  if (!given.form.empty()) form = *FindWord<PhasedOptions::Form>(given.form);
  if (form == PhasedOptions::Form::kOff) form = PhasedOptions::Form::kBaseline;
  request.ranks = static_cast<std::uint32_t>(given.ranks);
  request.rank = static_cast<std::uint32_t>(given.rank);
  const bool csv = given.format == "csv";
  if (given.json) return PrintJson(CollectiveJson("phases", PhasesJson(request)));
  if (!csv) WriteText("-", PhasesHead(request));
  WriteText(given.output, PhasesMessages(request, csv));
}

/// Prints what NCCL's tuner predicts. Throws as a run would if nothing is left to it.
void ListPredictions(const CollectiveArguments& given) {
  const CollectiveSpec spec = SpecOf(given);
  if (!IsTuned(spec.operation)) {
    throw UsageError(
        fmt::format("--tune: NCCL does not choose for {}. Expected: allreduce, allgather, "
                    "reducescatter, broadcast or reduce",
                    ToText(spec.operation)));
  }
  if (given.ranks == 1)
    throw UsageError("--tune: one rank has nobody to talk to. Expected: --ranks 2 or more");
  const CollectiveOptions options = OptionsOf(given);
  const GroupShape shape = ShapeOf(given);
  TuneRequest request;
  request.operation = spec.operation;
  request.sizes = SizesToTune(given);
  request.group = TunerGroupOf(shape, given.gpu_type);
  request.rules = TunerRulesOf(spec.operation, options);
  if (!ShortestOf(Tune({spec.operation, spec.bytes, request.group}, request.rules), false))
    if (!FindAsNccl(spec, shape, given.gpu_type, options))
      RefuseAsNccl(spec, shape, given.gpu_type, options);
  const bool csv = given.format == "csv";
  if (given.json) return PrintJson(CollectiveJson("tune", TuneJson(request)));
  if (!csv) WriteText("-", TuneHead(request));
  WriteText(given.output, csv ? TuneCsv(request) : TuneTable(request));
}

/// Lists the messages of all ranks.
void ListMessages(const CollectiveArguments& given) {
  const CollectiveSpec spec = SpecOf(given);
  const CollectiveOptions options = OptionsOf(given);
  GroupShape shape = ShapeOf(given);
  // CollNet as if every rail of the servers had one switch, which adds.
  if (options.AlgorithmOf(spec.operation).find("collnet") != std::string::npos &&
      shape.servers() > 1)
    shape.AddTreesOfOneSwitch();
  const AlgorithmChoice choice = ChooseAlgorithm(spec, shape, given.gpu_type, options);
  const auto schedule = MakeSchedule(spec, choice, shape, options);
  const std::vector<SingleFlow> flows =
      schedule ? MakeExplicitFlows(*schedule, shape) : std::vector<SingleFlow>();
  if (given.json) {
    const std::uint32_t channels = schedule ? schedule->channels() : 0;
    return PrintJson(
        CollectiveJson("messages", MessagesJson(spec, choice, shape, channels, flows)));
  }
  if (given.format == "table") WriteText("-", Head(spec, choice, shape, schedule.get()));
  if (given.format == "csv") {
    WriteText(given.output, FlowsAsCsv(flows));
  } else if (given.format == "dot") {
    WriteText(given.output, FlowsAsDot(flows));
  } else {
    WriteText("-", SentLine(shape, flows));
    WriteText(given.output, FlowsAsTable(flows));
  }
}

}  // namespace

int CollectiveCommand(const std::vector<std::string>& arguments) {
  CollectiveArguments given;
  if (!ParseCollectiveArguments(arguments, &given)) return 0;
  CheckOutputs({{"-o", given.output}}, {}, given.force);
  if (given.tune) {
    ListPredictions(given);
  } else if (!given.phases.empty()) {
    ListPhases(given);
  } else {
    ListMessages(given);
  }
  return 0;
}

}  // namespace heddle
