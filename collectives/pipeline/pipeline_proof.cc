// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_proof.h"

#include <fmt/format.h>

#include "collectives/pipeline/pipeline_route.h"
#include "collectives/pipeline/pipeline_walk.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Proves the tasks of one stage, without the others.
class StageProof {
 public:
  StageProof(const PipelineTable& table, std::uint32_t stage)
      : table_(table),
        stage_(stage),
        route_(table.shape),
        done_(std::size_t{table.shape.micro_batches} * table.shape.chunks) {}

  void Prove() {
    const std::vector<PipelineTask>& order = table_.order[stage_];
    for (const PipelineTask& task : order) ProveTask(task);
    if (!order.empty() && order.back().with_next)
      Fail(order.back(), "is the last, and together with the next", "a task behind it");
    for (std::uint32_t chunk = 0; chunk < table_.shape.chunks; ++chunk) {
      for (std::uint32_t m = 0; m < table_.shape.micro_batches; ++m) ProveEnd(m, chunk);
    }
  }

 private:
  /// What is done of a chunk of a micro-batch.
  enum Done : std::uint8_t { kNothing, kForward, kInput, kAll };

  void ProveTask(const PipelineTask& task) {
    if (task.micro_batch >= table_.shape.micro_batches || task.chunk >= table_.shape.chunks)
      Fail(task, "is of no micro-batch or chunk of the table",
           fmt::format("micro-batches below {}, chunks below {}", table_.shape.micro_batches,
                       table_.shape.chunks));
    if (!route_.Passes(task.micro_batch, task.chunk))
      Fail(task, "is of a micro-batch that does not pass this chunk",
           "the first half of the micro-batches on chunk 0, the others on chunk 1");
    Done& done = DoneOf(task.micro_batch, task.chunk);
    switch (task.work) {
      case PipelineWork::kForward:
        if (done != kNothing) Fail(task, "is there twice", "each forward once");
        done = kForward;
        return;
      case PipelineWork::kBackward:
      case PipelineWork::kInputGradient:
        if (done == kNothing) Fail(task, "comes before its forward", "the forward first");
        if (done != kForward) Fail(task, "follows another backward of it", "each backward once");
        done = task.work == PipelineWork::kBackward ? kAll : kInput;
        return;
      case PipelineWork::kWeightGradient:
        if (done != kInput)
          Fail(task, "has no gradient of inputs (I) before it, or is there twice",
               "I and then W of each micro-batch, or B alone");
        done = kAll;
        return;
    }
  }

  void ProveEnd(std::uint32_t micro_batch, std::uint32_t chunk) {
    const Done done = DoneOf(micro_batch, chunk);
    if (!route_.Passes(micro_batch, chunk) || done == kAll) return;
    const PipelineWork missing = done == kNothing   ? PipelineWork::kForward
                                 : done == kForward ? PipelineWork::kBackward
                                                    : PipelineWork::kWeightGradient;
    Fail({missing, false, chunk, micro_batch}, "is missing",
         "forward and backward of each micro-batch on each chunk");
  }

  Done& DoneOf(std::uint32_t micro_batch, std::uint32_t chunk) {
    return done_[std::size_t{micro_batch} * table_.shape.chunks + chunk];
  }

  [[noreturn]] void Fail(const PipelineTask& task, const char* found,
                         const std::string& expected) const {
    throw UserError(fmt::format("{}: stage {}: {} {}. Expected: {}", table_.name, stage_,
                                ToText(task, table_.shape), found, expected));
  }

  const PipelineTable& table_;
  std::uint32_t stage_;
  PipelineRoute route_;
  std::vector<Done> done_;
};

/// "stage 0 at F3, stage 1 at B2", of the first stages that wait for ever.
std::string WaitingText(const PipelineTable& table, const std::vector<std::size_t>& reached) {
  constexpr int kMostNamed = 4;
  std::string text;
  int named = 0;
  for (std::uint32_t stage = 0; stage < reached.size(); ++stage) {
    if (reached[stage] == table.order[stage].size()) continue;
    if (++named > kMostNamed) return text + ", ...";
    text += fmt::format("{}stage {} at {}", text.empty() ? "" : ", ", stage,
                        ToText(table.order[stage][reached[stage]], table.shape));
  }
  return text;
}

}  // namespace

void ProveTable(const PipelineTable& table) {
  HEDDLE_EXPECT(table.order.size() == table.shape.stages);
  for (std::uint32_t stage = 0; stage < table.shape.stages; ++stage)
    StageProof(table, stage).Prove();
  const std::string waiting = WaitingText(table, WalkTable(table, [](const PipelineStep&) {}));
  if (waiting.empty()) return;
  throw UserError(
      fmt::format("{}: these stages wait for each other for ever: {}. Expected: an order in which "
                  "what a task waits for comes on its stage before what waits for the task",
                  table.name, waiting));
}

}  // namespace heddle
