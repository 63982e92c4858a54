// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of plans (TOML) and of the steps that they stand for.
#include <string>

#include "io/plan/plan_file.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

/// Steps with more lines are not made: they add no cases to those of small ones.
constexpr std::int64_t kMostLines = 20'000;

bool Check(const std::string& text) {
  PlanRequest request;
  const Refusal refusal = {"fuzz.toml", true, false, 900};
  if (!Accepts(refusal, [&] { request = ParsePlan(text, "fuzz.toml", ""); })) return false;
  request.compute_table.clear();  // would be read
  if (request.parallel.gpus == 0) return true;
  StepPlan plan;
  if (!Accepts({"fuzz.toml", true, false, 900},
               [&] { plan = ResolvePlanFile(request, "fuzz.toml"); }))
    return true;
  if (plan.parallel.micro_batches() * plan.shape.layers / plan.parallel.pipeline > kMostLines)
    return true;
  const PlanRequest again = ParsePlan(PlanText(request, "again"), "fuzz.toml", "");
  if (PlanText(again, "again") != PlanText(request, "again"))
    Complain("a plan that is another when it is read again");
  // Refused are only times that a file cannot hold.
  Accepts({"", false, false, 900},
          [&] { MakeStepWorkload(plan.shape, plan.parallel, plan.speed); });
  return true;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "plan";
  reader.check = &Check;
  reader.words = {"model",
                  "layers",
                  "gpus",
                  "tp",
                  "pp",
                  "first_layers",
                  "last_layers",
                  "ep",
                  "micro_batch",
                  "zero",
                  "rules",
                  "peak",
                  "\"gpt-7b\"",
                  "\"H100\"",
                  "true",
                  "0",
                  "1e3",
                  "nan",
                  "=",
                  "[",
                  "{a = 1}",
                  "#",
                  "'''",
                  "inf",
                  "-1",
                  "\"\"\"",
                  "scale",
                  "global_batch",
                  "schedule",
                  "vpp",
                  "group",
                  "senders",
                  "recompute",
                  "precision",
                  "[experts]",
                  "experts.",
                  "routing",
                  "form",
                  "\"file:a\"",
                  "\"zb-h1\"",
                  "\"fp8\"",
                  "\"full\"",
                  "table",
                  "cp",
                  "cp_comm_type",
                  "overlap_experts",
                  "tp_comm_overlap",
                  "\"a2a\"",
                  "\"allgather\""};
  reader.seeds = {
      "# mine\nmodel = \"llama3-70b\"\ngpus = 64\ntp = 8\npp = 2\nglobal_batch = 64\n",
      "model = \"mixtral-8x7b\"\nlayers = 8\nscale = true\ngpus = 32\nep = 8\nzero = 0\n"
      "overlap_gradients = false\nsequence_parallel = true\n",
      "model = \"gpt-7b\"\nhidden = 2048\ngpus = 8\ngpu = \"A100\"\npeak = 300\n"
      "memory_bandwidth = 2000.5\nefficiency = 0.5\nrules = \"aicb\"\n",
      "model = \"deepseek-v3\"\nlayers = 8\ngpus = 64\npp = 4\nschedule = \"dualpipe\"\n"
      "global_batch = 256\nprecision = \"fp8\"\nrecompute = \"full\"\n[experts]\ncount = 64\n"
      "routing = \"zipf\"\nform = \"server\"\ncapacity = 1.25\ncompute = false\ntable = \"t\"\n",
      "model = \"llama3-70b\"\ngpus = 64\ntp = 4\ncp = 2\npp = 2\ncp_comm_type = \"a2a\"\n"
      "sequence = 32768\nglobal_batch = 64\n",
      "model = \"gpt-7b\"\ngpus = 16\npp = 4\nvpp = 2\ngroup = 4\nsenders = \"wait\"\n"};
  return reader;
}

}  // namespace heddle
