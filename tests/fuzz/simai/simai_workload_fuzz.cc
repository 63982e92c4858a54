// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the workload reader and of the programs made from accepted workloads: numbers must be
/// in range, and groups and program on some GPUs valid or rejected.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/pipeline/known_schedules.h"
#include "collectives/program/make_program.h"
#include "collectives/program/workload_defaults.h"
#include "io/simai/simai_workload.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";
/// Larger programs are not built: they add no cases to those of small ones.
constexpr double kLargestProgram = 20'000;

void CheckPhase(const LayerPhase& phase) {
  if (phase.compute < Time{} || phase.bytes < 0) Complain("a negative number");
}

void CheckWorkload(const Workload& workload, std::string_view input) {
  if (workload.layers.empty()) Complain("a workload without layers");
  const auto lines = 1 + std::count(input.begin(), input.end(), '\n');
  for (const Layer& layer : workload.layers) {
    if (layer.name.empty() || layer.line < 1 || layer.line > lines)
      Complain("a layer without name or line");
    CheckPhase(layer.forward);
    CheckPhase(layer.input_gradient);
    CheckPhase(layer.weight_gradient);
  }
}

/// Assumptions of the execution: every operation has a group, every step its operation; blocking
/// operations are issued once.
void CheckSteps(const Program& program, const ParallelGroups& groups) {
  if (program.steps.size() != groups.pipeline()) Complain("a stage without steps");
  for (const ProgramOp& op : program.ops) {
    if (op.spec.bytes <= 0 || groups.size(op.spec.group) < 2)
      Complain("an operation that does nothing");
  }
  for (const auto& steps : program.steps) {
    std::vector<int> issued(program.ops.size(), 0), waited(program.ops.size(), 0);
    for (const ProgramStep& step : steps) {
      if (step.time < Time{}) Complain("a step of negative time");
      if (step.kind == ProgramStep::Kind::kCompute || step.kind == ProgramStep::Kind::kPause)
        continue;
      if (step.op >= program.ops.size()) Complain("a step without an operation");
      ++(step.kind == ProgramStep::Kind::kWait ? waited : issued)[step.op];
    }
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
      if (issued[op] > 1) Complain("an operation issued twice");
      if (waited[op] > 0 && issued[op] == 0) Complain("an operation waited for and never issued");
      if (issued[op] == 0 && program.ops[op].spec.group != GroupType::kPipeline)
        Complain("an operation never issued");
    }
  }
}

/// Makes the program by each pipeline schedule.
void CheckPrograms(const Workload& workload, const ParallelGroups& groups) {
  for (const std::string& word : ScheduleWords()) {
    PipelineOptions pipeline;
    pipeline.schedule = word;
    WorkloadWarnings(workload, groups, pipeline);
    Accepts({kFile}, [&] { CheckSteps(MakeProgram(workload, groups, 2, pipeline), groups); });
    if (groups.pipeline() == 1) return;
  }
}

bool Check(const std::string& text) {
  Workload workload;
  if (!Accepts({kFile}, [&] { workload = ParseSimaiWorkload(text, kFile); })) return false;
  CheckWorkload(workload, text);
  for (const std::uint32_t ranks : {1U, 16U, 24U}) {
    Accepts({"job"}, [&] {
      const ParallelGroups groups(DefaultSizes(workload, ranks, 8), ranks, "job");
      const double repeats =
          groups.pipeline() > 1
              ? static_cast<double>(workload.gradient_accumulation) * groups.pipeline()
              : 1;
      const double recomputed = 1 + static_cast<double>(workload.checkpoint_initiates.size());
      if (repeats * recomputed * static_cast<double>(workload.layers.size()) > kLargestProgram)
        return;
      CheckPrograms(workload, groups);
    });
  }
  return true;
}

/// Makes a small workload of the right structure.
std::string MadeUp(Mutator* m) {
  static const std::vector<std::string> kKinds = {"MICRO",
                                                  "DATA",
                                                  "MODEL",
                                                  "HYBRID_DATA_MODEL",
                                                  "HYBRID_DLRM 1",
                                                  "HYBRID_DLRM_ENHANCED 0",
                                                  "HYBRID_CUSTOMIZED",
                                                  "HYBRID_TRANSFORMER"};
  static const std::vector<std::string> kLayerPolicies = {
      "DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER"};
  static const std::vector<std::string> kOperations = {
      "NONE",      "ALLREDUCE", "ALLTOALL_EP", "ALLGATHER_DP_EP", "REDUCESCATTER",
      "BROADCAST", "REDUCE_TP", "SENDRECV",    "ALLTOALL",        "ALLREDUCE_ALL"};
  if (m->Chance(4)) {
    return fmt::format("{} ALLREDUCE {} {}\n1 ALLTOALL 4096\n", 1 + m->Below(3), 1 + m->Below(9000),
                       m->Chance(2) ? "DP" : "EP");
  }
  const std::size_t layers = 1 + m->Below(4);
  std::string text = m->Chance(2) ? "DISTRIBUTED_INFERENCE" : "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
  if (m->Chance(3)) text = m->Pick(kKinds);
  for (const char* key : {"model_parallel_NPU_group:", "ep:", "pp:", "ga:", "pp_comm"}) {
    if (m->Chance(2)) text += fmt::format(" {} {}", key, 1 << m->Below(4));
  }
  if (m->Chance(4)) text += " mode: 1";
  if (m->Chance(2))
    text += fmt::format(" checkpoints: 2 0 {} checkpoint_initiates: 1 {}", m->Below(layers),
                        m->Below(layers));
  text += fmt::format("\n{}\n", layers);
  for (std::size_t i = 0; i < layers; ++i) {
    text += m->Chance(3) ? "embedding_layer -1" : fmt::format("l{} -1", i);
    for (int phase = 0; phase < 3; ++phase)
      text += fmt::format(" {} {} {}", m->Below(50), m->Pick(kOperations), m->Below(9000));
    text += " 1 " + m->Pick(kLayerPolicies) + "\n";
  }
  return text;
}

std::string Make(Mutator* mutator) {
  if (mutator->Chance(2)) return mutator->Text();
  std::string text = MadeUp(mutator);
  for (std::size_t i = mutator->Below(3); i > 0; --i) mutator->ReplaceWord(&text);
  return mutator->Chance(4) ? mutator->Damage(std::move(text)) : text;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "simai_workload";
  reader.check = &Check;
  reader.make = &Make;
  reader.accepted_one_in = 10;
  reader.words = {"MICRO",
                  "DATA",
                  "MODEL",
                  "HYBRID_DATA_MODEL",
                  "HYBRID_TRANSFORMER",
                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                  "HYBRID_DLRM",
                  "HYBRID_DLRM_ENHANCED",
                  "HYBRID_CUSTOMIZED",
                  "DISTRIBUTED_INFERENCE",
                  "model_parallel_NPU_group:",
                  "ep:",
                  "expert_parallel_npu_group:",
                  "mode:",
                  "embedding_layer",
                  "pp:",
                  "vpp:",
                  "ga:",
                  "all_gpus:",
                  "checkpoints:",
                  "checkpoint_initiates:",
                  "pp_comm:",
                  "pp_comm",
                  "NONE",
                  "ALLREDUCE",
                  "ALLTOALL_EP",
                  "ALLGATHER_DP_EP",
                  "REDUCESCATTER",
                  "BROADCAST",
                  "REDUCE_TP",
                  "SENDRECV",
                  "ALLREDUCEALLTOALL",
                  "TP",
                  "DP",
                  "EP",
                  "DP_EP",
                  "PP",
                  "#",
                  "0",
                  "1",
                  "2",
                  "3",
                  "4",
                  "8",
                  "16",
                  "1e9",
                  "4095",
                  "100000",
                  "1048576",
                  "1048577",
                  "1000000000000000",
                  "2147483648",
                  "4294967296",
                  "4611686018427387904",
                  "4611686018427387905",
                  "9223372036854775807",
                  "99999999999999999999"};
  return reader;
}

}  // namespace heddle
