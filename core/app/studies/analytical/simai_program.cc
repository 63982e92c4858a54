// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/simai_program.h"

#include <fmt/format.h>

#include <filesystem>

#include "collectives/simai_closed_form/simai_automatic.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/studies/analytical/end_to_end_text.h"
#include "core/app/studies/analytical/result_name.h"
#include "core/app/studies/analytical/step_chart.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/simai/raw_workload_file.h"

namespace heddle {
namespace {

RawWorkload ReadWorkload(const std::string& path) {
  std::string text;
  try {
    text = ReadTextFile(path);
  } catch (const UserError& error) {
    throw SimaiRefusal(kSimaiNoFile, fmt::format("-w: {}", error.what()));
  }
  return ReadAs(FileKind::kWorkload, path, [&] { return ParseRawWorkload(text, path); });
}

/// Policies that SimAI knows, and takes no sizes of.
bool IsKnownPolicy(const std::string& policy) {
  for (const char* known :
       {"DATA", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "MODEL", "HYBRID_DATA_MODEL",
        "HYBRID_MODEL_DATA", "HYBRID_CUSTOMIZED", "MICRO", "DISTRIBUTED_INFERENCE"}) {
    if (policy == known) return true;
  }
  return false;
}

void CheckHeader(const RawWorkload& workload, const std::string& path) {
  const SourceLine header{path, 1};
  if (!workload.is_transformer) {
    if (!IsKnownPolicy(workload.policy))
      throw SimaiRefusal(
          kSimaiNoFile,
          WithKind(fmt::format("{}: unknown policy '{}'. Expected: a policy that SimAI knows",
                               ToText(header), Printable(workload.policy)),
                   path, FileKind::kWorkload));
    FailInput(header,
              fmt::format("policy {}, of which SimAI takes no sizes of groups; it crashes there "
                          "(SIGFPE)",
                          workload.policy),
              "HYBRID_TRANSFORMER or HYBRID_TRANSFORMER_FWD_IN_BCKWD");
  }
  const auto expect = [&](int size, const char* key) {
    if (size == 0)
      FailInput(header, fmt::format("no {} or 0 there; SimAI crashes there (SIGFPE)", key),
                fmt::format("{} and a size", key));
  };
  expect(workload.tensor, "model_parallel_NPU_group:");
  expect(workload.pipeline, "pp:");
}

/// SimAI's clock takes an int: negative ones never come (Sys.cc, try_register_event).
void CheckComputeTimes(const RawWorkload& workload, const std::string& path) {
  for (const RawLayer& layer : workload.layers) {
    for (const RawPhase* phase : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if ((phase->compute_ns & 0x80000000U) != 0)
        FailInput({path, layer.line},
                  fmt::format("{} ns of compute; SimAI never ends there", phase->compute_ns),
                  "less than 2^31 ns");
    }
  }
}

/// The price of the rows' collectives, and the bandwidth between stages.
SimaiStepInput InputOf(const SimaiArguments& given, const RawWorkload& workload) {
  const SimaiGroups groups{given.gpus.front(), workload.tensor, workload.expert,
                           static_cast<std::uint32_t>(given.gpus_per_server),
                           static_cast<std::uint32_t>(given.nics_per_server)};
  SimaiStepInput input;
  input.gpus = groups.gpus;
  input.overlaps = given.overlaps;
  if (given.program == SimaiProgram::kManual10) {
    input.pipeline_bandwidth = given.bandwidths.pipeline;
    input.price = [groups, bandwidths = given.bandwidths](const SimaiCollective& collective) {
      return SimaiManualTime(collective, groups, bandwidths);
    };
    return input;
  }
  input.pipeline_bandwidth = given.overlaps.pipeline;  // the defect of 1.6: not a bandwidth
  const SimaiRates rates{SimaiNvlinkRate(given.nvlink, given.gpu_type),
                         SimaiNicRate(given.nic, given.nic_type)};
  input.price = [groups, rates](const SimaiCollective& collective) {
    return SimaiAutomaticTime(collective, groups, rates);
  };
  return input;
}

/// Where the outputs go: their path without its last part.
std::string OutputPrefix(const std::string& name) {
  std::string prefix = "./results/" + name;
  const std::string folder = prefix.substr(0, prefix.find_last_of('/'));
  if (!std::filesystem::is_directory(folder))
    throw SimaiRefusal(
        kSimaiNoFile,
        fmt::format("{}: there is no such folder. Expected: a folder (mkdir -p makes it)",
                    Printable(folder)));
  return prefix;
}

void Write(const SimaiArguments& given, const std::string& name, const RawWorkload& workload,
           const SimaiStep& step) {
  const std::string prefix = OutputPrefix(name);
  const std::string csv = prefix + "EndToEnd.csv";
  const std::string chart = given.chart ? prefix + "chart.html" : "";
  CheckOutputs({{"-r", csv}, {"-v", chart}}, {{"-w", given.workload}}, given.force);
  const std::string own_name = name.substr(name.find_last_of('/') + 1);
  WriteText(csv, EndToEndText(own_name, workload, step));
  if (!chart.empty()) WriteText(chart, StepChart(own_name, step, given.language));
  PrintText(EndToEndSummary(own_name, step));
}

void Execute(const SimaiArguments& given) {
  const std::string name = SimaiResultName(given);
  const RawWorkload workload = ReadWorkload(given.workload);
  CheckHeader(workload, given.workload);
  CheckComputeTimes(workload, given.workload);
  Write(given, name, workload, AddUpSimaiStep(workload, InputOf(given, workload), given.workload));
}

}  // namespace

int RunSimaiAnalytical(SimaiProgram program, const std::vector<std::string>& words) {
  try {
    const SimaiArguments given = ParseSimaiArguments(program, words);
    if (given.help) {
      PrintHelp(SimaiHelp(program));
      return kSimaiUsage;
    }
    Execute(given);
    return 0;
  } catch (const SimaiRefusal& refusal) {
    PrintError(refusal.what());
    return refusal.code();
  }
}

}  // namespace heddle
