// SPDX-License-Identifier: GPL-2.0-only
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD. With pipeline stages the file has the layers of all
/// micro-batches of a stage, one micro-batch after the other (as AICB writes it), and what is done
/// once before and after them (micro_batches.h). Each stage runs what its row of a table of tasks
/// says (collectives/pipeline): a receive before each task that needs one, the task's layers, and
/// what it sends, which is not waited for. Of inference only the forward steps are run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "collectives/program/micro_batches.h"
#include "collectives/program/model_chunks.h"
#include "collectives/program/policies.h"
#include "collectives/program/step_pairs.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Least bytes of a forward collective in SimAI (its Workload.cc).
constexpr std::int64_t kLeastForwardBytes = 4096;
/// Most steps of all stages in one pass, 24 bytes each.
constexpr double kMostSteps = 32e6;

/// Operations of the layers, each of which is in one micro-batch, and of the messages between
/// stages.
struct Operations {
  std::vector<std::uint32_t> forward, input, weight;  ///< by layer
  /// By layer: the forward operation repeated from its checkpoint.
  std::vector<std::vector<std::uint32_t>> again;
  /// By layer: gathers of the unit that begins there, forward and backward.
  std::vector<std::vector<std::uint32_t>> gather, gather_again;
  /// By micro-batch and position of a chunk (pipeline_route.h): message to the next one, and from
  /// it.
  std::vector<std::vector<std::uint32_t>> activation, gradient;
  /// By layer: gradients of a tied embedding from the first to the last stage, and from the last to
  /// the first.
  std::vector<std::array<std::uint32_t, 2>> tied;
};

class Transformer {
 public:
  Transformer(const Workload& workload, const ParallelGroups& groups, const PipelineOptions& how,
              ProgramBuilder* builder)
      : builder_(*builder),
        stages_(groups.pipeline()),
        backward_(!workload.inference),
        senders_wait_(how.senders_wait()),
        side_by_side_(how.overlap_experts && backward_),
        parts_(stages_ > 1 || side_by_side_ ? CutIntoMicroBatches(workload)
                                            : OneMicroBatch(workload)),
        table_(MakePipelineTable(stages_ > 1 || side_by_side_ ? how : PipelineOptions(), stages_,
                                 micro_batches(), workload.name)),
        route_(table_.shape),
        chunks_(CutIntoChunks(workload, parts_, route_.layer_parts())),
        checkpoint_(builder->layers(), builder->layers()) {
    if (!backward_) KeepForwards(&table_);
    if (route_.layer_parts() > 1) CheckChunks(workload);
    FindCheckpoints(workload);
    CheckSize(workload);
    AddOps();
  }

  void AddStage(std::uint32_t stage) {
    builder_.BeginStage();
    here_ = PartOfPipeline(stage, stages_);
    ForwardLayers(parts_.before);
    const std::vector<PipelineTask>& order = table_.order[stage];
    for (std::size_t first = 0; first < order.size();) {
      std::size_t end = first + 1;
      while (order[end - 1].with_next) ++end;
      DoTogether(stage, &order[first], end - first);
      first = end;
    }
    here_ = PartOfPipeline(stage, stages_);
    ForwardLayers(parts_.after);
    BackwardLayers(parts_.after);
    BackwardLayers(parts_.before);
  }

 private:
  std::uint32_t layers() const { return builder_.layers(); }
  std::uint32_t micro_batches() const { return static_cast<std::uint32_t>(parts_.batches.size()); }

  /// Stages are cut into chunks whose layers are alike: only what begins the model, and what ends
  /// it, may be of one part of the pipeline.
  void CheckChunks(const Workload& workload) const {
    for (LayerRange lines : parts_.batches) {
      const auto is = [&](std::uint32_t line, PipelinePart part) {
        const PipelineParts& place = workload.layers[line].place;
        return place.has(part) && std::count(place.parts.begin(), place.parts.end(), true) == 1;
      };
      if (is(lines.begin, PipelinePart::kFirst)) ++lines.begin;
      while (lines.end > lines.begin && is(lines.end - 1, PipelinePart::kLast)) --lines.end;
      for (std::uint32_t line = lines.begin; line < lines.end; ++line) {
        const Layer& layer = workload.layers[line];
        if (layer.place.everywhere()) continue;
        throw UserError(fmt::format(
            "{}: line '{}' is of some stages only, and the pipeline's table has {} chunks on a "
            "stage. Expected: stages with as many layers of each kind, or one chunk",
            workload.name, layer.name, route_.layer_parts()));
      }
    }
  }

  /// Returns the part of `count` stages, or positions of a micro-batch, to which one belongs.
  static PipelinePart PartOfPipeline(std::uint32_t number, std::uint32_t count) {
    return number == 0           ? PipelinePart::kFirst
           : number + 1 == count ? PipelinePart::kLast
                                 : PipelinePart::kMiddle;
  }

  /// Whether the part of the pipeline whose steps are added has a line.
  bool IsHere(std::uint32_t layer) const { return builder_.layer(layer).place.has(here_); }

  /// Returns the stages that have a line: of its place, with `stage_of` the stage of one of `count`
  /// places along the pipeline. Lines that some parts have are of parts that adjoin.
  template <class StageOf>
  StageRange StagesOf(std::uint32_t layer, std::uint32_t count, StageOf&& stage_of) const {
    const PipelineParts& place = builder_.layer(layer).place;
    if (place.everywhere()) return {};
    std::uint32_t least = stages_, end = 0, found = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      if (!place.has(PartOfPipeline(at, count))) continue;
      ++found;
      least = std::min(least, stage_of(at));
      end = std::max(end, stage_of(at) + 1);
    }
    HEDDLE_EXPECT(found > 0 && found == end - least);
    return {least, found};
  }

  /// The same of a line that is run once a step.
  StageRange StagesOf(std::uint32_t layer) const {
    return StagesOf(layer, stages_, [](std::uint32_t stage) { return stage; });
  }
  /// The same of a line of a micro-batch.
  StageRange StagesOf(std::uint32_t layer, std::uint32_t m) const {
    return StagesOf(layer, route_.positions(),
                    [&](std::uint32_t at) { return route_.StageAt(m, at); });
  }

  /// checkpoint_[l]: the layer from which activations are recomputed before the backward step of l;
  /// l or more: none. The input of a chunk of a micro-batch is always available.
  void FindCheckpoints(const Workload& workload) {
    std::vector<bool> stored(layers()), initiates(layers());
    for (const std::int64_t layer : workload.checkpoints)
      stored[static_cast<std::size_t>(layer)] = true;
    for (const std::int64_t layer : workload.checkpoint_initiates)
      initiates[static_cast<std::size_t>(layer)] = true;
    std::uint32_t last = layers();
    const auto find = [&](LayerRange part) {
      if (last != layers()) last = part.begin;
      for (std::uint32_t layer = part.begin; layer < part.end; ++layer) {
        if (stored[layer]) last = layer;
        if (initiates[layer]) checkpoint_[layer] = last;
      }
    };
    find(parts_.before);
    for (const std::vector<LayerRange>& batch : chunks_) {
      for (const LayerRange& chunk : batch) find(chunk);
    }
    find(parts_.after);
  }

  /// Numbers of micro-batches and stages come from the header: without a limit a short file could
  /// use up all memory.
  void CheckSize(const Workload& workload) const {
    double steps = 7.0 * layers() + 4.0 * micro_batches() * route_.layer_parts();
    for (std::uint32_t layer = 0; layer < layers(); ++layer) {
      if (checkpoint_[layer] < layer) steps += 3.0 * (layer - checkpoint_[layer]) + 1;
    }
    steps *= stages_;
    if (steps <= kMostSteps) return;
    throw UserError(fmt::format(
        "{}: {} layers in {} micro-batches (ga) on {} pipeline stages (pp) make {:.0f} million "
        "steps. "
        "Expected: at most {:.0f} million",
        workload.name, layers(), micro_batches(), stages_, steps / 1e6, kMostSteps / 1e6));
  }

  void AddOps() {
    ops_.forward.resize(layers());
    ops_.input.resize(layers());
    ops_.again.resize(layers());
    ops_.weight.resize(layers());
    ops_.gather.resize(layers());
    ops_.gather_again.resize(layers());
    ops_.tied.assign(layers(), {ProgramBuilder::kNoOp, ProgramBuilder::kNoOp});
    AddForwardAndInput(parts_.before, 0, kOncePerStep);
    for (std::uint32_t m = 0; m < micro_batches(); ++m) AddMicroBatch(m);
    AddForwardAndInput(parts_.after, micro_batches() - 1, kOncePerStep);
    AddWeights(parts_.before, 0, kOncePerStep);
    for (std::uint32_t m = 0; m < micro_batches(); ++m) AddWeights(parts_.batches[m], m, kOfBatch);
    AddWeights(parts_.after, micro_batches() - 1, kOncePerStep);
  }

  /// Returns an operation that the stages with its line do.
  std::uint32_t OnItsStages(std::uint32_t op, std::uint32_t m, bool of_batch) {
    if (op == ProgramBuilder::kNoOp) return op;
    const std::uint32_t layer = builder_.program_ops()[op].layer;
    builder_.SetStages(op, of_batch ? StagesOf(layer, m) : StagesOf(layer));
    return op;
  }

  std::uint32_t AddForwardOp(std::uint32_t layer, std::uint32_t m, bool of_batch) {
    LayerPhase what = builder_.phase(layer, Phase::kForward);
    if (what.bytes > 0) what.bytes = std::max(what.bytes, kLeastForwardBytes);
    return OnItsStages(builder_.AddOp(layer, Phase::kForward, what, m), m, of_batch);
  }

  /// Adds the gathers of the unit of sharded parameters that begins at a layer.
  std::vector<std::uint32_t> AddGathers(std::uint32_t layer, Phase phase, std::uint32_t m,
                                        bool of_batch) {
    std::vector<std::uint32_t> ops;
    const GatheredParameters& gathered = builder_.layer(layer).gathered;
    const auto add = [&](GroupType group, std::int64_t bytes) {
      LayerPhase what;
      what.operation = Operation::kAllGather;
      what.group = group;
      what.bytes = bytes;
      if (bytes > 0) ops.push_back(OnItsStages(builder_.AddOp(layer, phase, what, m), m, of_batch));
    };
    add(GroupType::kData, gathered.common);
    add(GroupType::kDataExpert, gathered.experts);
    return ops;
  }

  void AddForwardAndInput(LayerRange part, std::uint32_t m, bool of_batch) {
    for (std::uint32_t layer = part.begin; layer < part.end; ++layer) {
      ops_.gather[layer] = AddGathers(layer, Phase::kForward, m, of_batch);
      ops_.forward[layer] = AddForwardOp(layer, m, of_batch);
    }
    if (!backward_) return;
    for (std::uint32_t layer = part.begin; layer < part.end; ++layer) {
      if (!builder_.layer(layer).gathered.kept)
        ops_.gather_again[layer] = AddGathers(layer, Phase::kInputGradient, m, of_batch);
    }
    for (std::uint32_t layer = part.end; layer-- > part.begin;) {
      for (std::uint32_t l = checkpoint_[layer]; l < layer; ++l)
        ops_.again[layer].push_back(AddForwardOp(l, m, of_batch));
      ops_.input[layer] = OnItsStages(builder_.AddOp(layer, Phase::kInputGradient, m), m, of_batch);
      AddTied(layer, m);
    }
  }

  void AddTied(std::uint32_t layer, std::uint32_t m) {
    const std::int64_t bytes = builder_.layer(layer).tied_bytes;
    if (bytes == 0) return;
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      return builder_.AddMessage(layer, Phase::kInputGradient, m, from, to, bytes);
    };
    ops_.tied[layer] = {add(0, stages_ - 1), add(stages_ - 1, 0)};
  }

  void AddWeights(LayerRange part, std::uint32_t m, bool of_batch) {
    for (std::uint32_t layer = part.end; layer-- > part.begin;) {
      ops_.weight[layer] =
          backward_ ? OnItsStages(builder_.AddOp(layer, Phase::kWeightGradient, m), m, of_batch)
                    : ProgramBuilder::kNoOp;
    }
  }

  void AddMicroBatch(std::uint32_t m) {
    const LayerRange part = parts_.batches[m];
    AddForwardAndInput(part, m, kOfBatch);
    ops_.activation.emplace_back();
    ops_.gradient.emplace_back();
    for (std::uint32_t at = 0; at + 1 < route_.positions(); ++at) AddMessages(m, at);
  }

  /// Adds the messages between a position and the next one; none if both are on one stage.
  void AddMessages(std::uint32_t m, std::uint32_t at) {
    ops_.activation[m].push_back(ProgramBuilder::kNoOp);
    ops_.gradient[m].push_back(ProgramBuilder::kNoOp);
    if (!route_.SendsAfter(m, at)) return;
    const std::uint32_t here = route_.StageAt(m, at), next = route_.StageAt(m, at + 1);
    ops_.activation[m].back() =
        builder_.AddMessage(ChunkAt(m, at).end - 1, Phase::kForward, m, here, next);
    if (!backward_) return;
    ops_.gradient[m].back() =
        builder_.AddMessage(ChunkAt(m, at + 1).begin, Phase::kInputGradient, m, next, here);
  }

  /// Returns the layers of a micro-batch's position.
  LayerRange ChunkAt(std::uint32_t m, std::uint32_t position) const {
    return chunks_[m][position / stages_];
  }

  void ForwardLayer(std::uint32_t layer, std::uint32_t op) {
    ComputeAndExchange(layer, Phase::kForward, op);
    builder_.Pause();
  }

  /// A phase that blocks: it communicates when it has computed, or meanwhile.
  void ComputeAndExchange(std::uint32_t layer, Phase phase, std::uint32_t op) {
    const bool together = builder_.phase(layer, phase).together;
    if (together) builder_.Overlapped(op);
    builder_.Compute(layer, phase);
    together ? builder_.Wait(op) : builder_.Blocking(op);
  }

  /// Returns the first lines of the units of sharded parameters in a part of the lines.
  std::vector<std::uint32_t> UnitsOf(LayerRange part) const {
    std::vector<std::uint32_t> units;
    for (std::uint32_t layer = part.begin; layer < part.end; ++layer) {
      if (builder_.layer(layer).gathered.begins && IsHere(layer)) units.push_back(layer);
    }
    return units;
  }

  /// Waits for the gathers of a unit, and issues those of the unit that is needed next, which run
  /// under the computing of this one (FSDP's prefetch by one unit).
  void TakeUnit(const std::vector<std::vector<std::uint32_t>>& gathers, std::uint32_t unit,
                const std::uint32_t* next) {
    for (const std::uint32_t op : gathers[unit]) builder_.Wait(op);
    if (next == nullptr) return;
    for (const std::uint32_t op : gathers[*next]) builder_.Overlapped(op);
  }

  void ForwardLayers(LayerRange part) {
    const std::vector<std::uint32_t> units = UnitsOf(part);
    std::size_t next = 0;
    if (!units.empty()) {
      for (const std::uint32_t op : ops_.gather[units[0]]) builder_.Overlapped(op);
    }
    for (std::uint32_t layer = part.begin; layer < part.end; ++layer) {
      if (!IsHere(layer)) continue;
      builder_.Wait(ops_.weight[layer]);
      if (next < units.size() && units[next] == layer) {
        ++next;
        TakeUnit(ops_.gather, layer, next < units.size() ? &units[next] : nullptr);
      }
      ForwardLayer(layer, ops_.forward[layer]);
    }
  }

  /// The backward pass of some lines, both parts or one of them. Gradients of inputs need the
  /// parameters, which are gathered again, the last unit first.
  void BackwardLayers(LayerRange part, bool input, bool weight) {
    std::vector<std::uint32_t> units;
    if (input) units = UnitsOf(part);
    if (!units.empty()) {
      for (const std::uint32_t op : ops_.gather_again[units.back()]) builder_.Overlapped(op);
    }
    std::uint32_t end = part.end;  // of the unit that comes next
    for (std::uint32_t layer = part.end; layer-- > part.begin;) {
      if (!units.empty() && layer + 1 == end) {
        const std::uint32_t unit = units.back();
        units.pop_back();
        TakeUnit(ops_.gather_again, unit, units.empty() ? nullptr : &units.back());
        end = unit;
      }
      if (!IsHere(layer)) continue;
      if (input) InputGradient(layer);
      if (weight) WeightGradient(layer);
    }
  }

  void BackwardLayers(LayerRange part) {
    if (backward_) BackwardLayers(part, true, true);
  }

  void InputGradient(std::uint32_t layer) {
    if (checkpoint_[layer] < layer) ForwardAgain(layer);
    ComputeAndExchange(layer, Phase::kInputGradient, ops_.input[layer]);
    ExchangeTied(layer);
    builder_.Pause();
  }

  void ExchangeTied(std::uint32_t layer) {
    const auto& [to_last, to_first] = ops_.tied[layer];
    const bool is_first = here_ == PipelinePart::kFirst;
    builder_.Overlapped(is_first ? to_last : to_first);
    builder_.Blocking(is_first ? to_first : to_last);
  }

  void WeightGradient(std::uint32_t layer) {
    builder_.Compute(layer, Phase::kWeightGradient);
    builder_.Overlapped(ops_.weight[layer]);
    builder_.Pause();
  }

  /// Adds tasks that are done together: all receives, the tasks, and what they send.
  void DoTogether(std::uint32_t stage, const PipelineTask* tasks, std::size_t count) {
    const auto each = [&](auto&& use) {
      for (std::size_t i = 0; i < count; ++i)
        use(tasks[i], route_.PositionOf(stage, tasks[i].chunk));
    };
    each([&](const PipelineTask& task, std::uint32_t at) { Receive(task, at); });
    if (side_by_side_ && count == 2)
      WorkSideBySide(stage, tasks);
    else
      each([&](const PipelineTask& task, std::uint32_t at) { Work(task, at); });
    std::vector<std::uint32_t> sent;
    each([&](const PipelineTask& task, std::uint32_t at) {
      const std::uint32_t op = MessageOf(task, at);
      if (op != ProgramBuilder::kNoOp) sent.push_back(op);
    });
    Send(sent);
  }

  void Receive(const PipelineTask& task, std::uint32_t at) {
    const std::uint32_t m = task.micro_batch;
    if (task.work == PipelineWork::kWeightGradient) return;
    if (task.work == PipelineWork::kForward) {
      if (at > 0) builder_.Blocking(ops_.activation[m][at - 1]);
    } else if (at + 1 < route_.positions()) {
      builder_.Blocking(ops_.gradient[m][at]);
    }
  }

  void WorkSideBySide(std::uint32_t stage, const PipelineTask* two) {
    const auto steps_of = [&](const PipelineTask& task) {
      const std::size_t begin = builder_.steps();
      Work(task, route_.PositionOf(stage, task.chunk));
      return builder_.CutFrom(begin);
    };
    const std::vector<ProgramStep> steps = steps_of(two[0]);
    builder_.Append(SideBySide(steps, steps_of(two[1]), builder_.program_ops()));
  }

  void Work(const PipelineTask& task, std::uint32_t at) {
    here_ = PartOfPipeline(at, route_.positions());
    const LayerRange part = chunks_[task.micro_batch][route_.PartOf(task.chunk)];
    if (task.work == PipelineWork::kForward) return ForwardLayers(part);
    if (task.work == PipelineWork::kBackward) return BackwardLayers(part);
    const bool input = task.work == PipelineWork::kInputGradient;
    BackwardLayers(part, input, !input);
  }

  /// Returns the message that a task sends, or kNoOp.
  std::uint32_t MessageOf(const PipelineTask& task, std::uint32_t at) const {
    const std::uint32_t m = task.micro_batch;
    if (task.work == PipelineWork::kWeightGradient) return ProgramBuilder::kNoOp;
    if (task.work == PipelineWork::kForward)
      return at + 1 < route_.positions() ? ops_.activation[m][at] : ProgramBuilder::kNoOp;
    return at > 0 ? ops_.gradient[m][at - 1] : ProgramBuilder::kNoOp;
  }

  /// Sends at once. Of several messages the last one is waited for, where senders wait.
  void Send(const std::vector<std::uint32_t>& messages) {
    for (const std::uint32_t op : messages) {
      senders_wait_&& op == messages.back() ? builder_.Blocking(op) : builder_.Overlapped(op);
    }
  }

  void ForwardAgain(std::uint32_t layer) {
    builder_.Pause();
    std::uint32_t l = checkpoint_[layer];
    for (const std::uint32_t op : ops_.again[layer]) ForwardLayer(l++, op);
  }

  /// Whether a line is run for each micro-batch, or once a step.
  static constexpr bool kOfBatch = true, kOncePerStep = false;

  ProgramBuilder& builder_;
  std::uint32_t stages_;
  PipelinePart here_ = PipelinePart::kFirst;  ///< whose steps are added
  bool backward_, senders_wait_, side_by_side_;
  MicroBatches parts_;
  PipelineTable table_;
  PipelineRoute route_;
  std::vector<std::vector<LayerRange>> chunks_;  ///< by micro-batch and part of the model
  std::vector<std::uint32_t> checkpoint_;        ///< by layer
  Operations ops_;
};

}  // namespace

void BuildTransformer(const Workload& workload, const ParallelGroups& groups,
                      const PipelineOptions& pipeline, ProgramBuilder* builder) {
  Transformer transformer(workload, groups, pipeline, builder);
  for (std::uint32_t stage = 0; stage < groups.pipeline(); ++stage) transformer.AddStage(stage);
  if (groups.pipeline() > 1) builder->SetSchedule(DescribeSchedule(pipeline, groups.pipeline()));
}

}  // namespace heddle
