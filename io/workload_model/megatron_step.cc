// SPDX-License-Identifier: GPL-2.0-only
/// The lines of Megatron-LM's step.
#include <algorithm>
#include <array>

#include "io/workload_model/context_lines.h"
#include "io/workload_model/step_workload.h"

namespace heddle {
namespace {

using Op = Operation;

constexpr std::int64_t kParameterBytes = 2, kGradientBytes = 4;  // bf16, fp32
constexpr std::int64_t kCountBytes = 8;                          // an int64 of an expert's tokens

class MegatronLines {
 public:
  explicit MegatronLines(const StepModel& model)
      : model_(model),
        plan_(model.plan),
        sequence_(plan_.splits_sequence()),
        unlike_(plan_.has_unlike_stages()),
        lines_(model) {}

  Workload Step() && {
    OncePerStep();
    for (std::int64_t i = plan_.micro_batches(); i > 0; --i) MicroBatch(i == 1);
    // Whether a gradient overflowed, and the norm of all.
    for (const char* name : {"optimizer_overflow", "optimizer_norm"})
      lines_.Line(name).Forward(Op::kAllReduce, GroupType::kTensor, kGradientBytes);
    return std::move(lines_).Finish();
  }

 private:
  /// In reverse order at the end of the step: gradients are reduced, Adam runs, and with ZeRO
  /// parameters are gathered.
  void OncePerStep() {
    if (plan_.zero == 1) OnEachPart([this](PipelinePart part) { GatherParameters(part); });
    PhaseTimes adam;
    adam.input_gradient = model_.times.Of(BlockKind::kOptimizer).column.forward;
    lines_.Line("grad_param_compute", adam);
    TiedGradients();
    OnEachPart([this](PipelinePart part) { ReduceAtTheEnd(part); });
    if (!sequence_) return;
    OnEachPart([this](PipelinePart part) {
      lines_.Line("layernorm_grads")
          .InputGradient(Op::kAllReduce, GroupType::kTensor,
                         kGradientBytes * model_.work.StageNorms(part));
    });
  }

  /// Adds lines for each part of the pipeline, or once where all stages are alike.
  template <class Add>
  void OnEachPart(Add&& add) {
    if (!unlike_) return add(PipelinePart::kFirst);
    for (const PipelinePart part :
         {PipelinePart::kFirst, PipelinePart::kMiddle, PipelinePart::kLast}) {
      if (part == PipelinePart::kMiddle && plan_.pipeline == 2) continue;
      On(part);
      add(part);
    }
    lines_.On({});
  }

  /// The next lines are of one part of the pipeline.
  void On(PipelinePart part) {
    PipelineParts place{{false, false, false}};
    place.parts[static_cast<std::size_t>(part)] = true;
    lines_.On(place);
  }

  void GatherParameters(PipelinePart part) {
    const HeldParameters held = model_.work.StageParameters(part);
    lines_.Line("grad_gather")
        .WeightGradient(Op::kAllGather, GroupType::kData, kParameterBytes * held.common);
    if (held.experts > 0)
      lines_.Line("moe_grad_gather")
          .WeightGradient(Op::kAllGather, GroupType::kDataExpert, kParameterBytes * held.experts);
  }

  /// Gradients that no micro-batch has reduced.
  void ReduceAtTheEnd(PipelinePart part) {
    if (plan_.shards_parameters()) return;
    if (plan_.overlap_gradients) {  // what no block has
      if (!plan_.has_output(part)) return;
      lines_.Line("grad_last_norm");
      return Reduce({model_.work.LastNorm(), 0});
    }
    const HeldParameters held = model_.work.StageParameters(part);
    lines_.Line("grad_param_comm");
    Reduce({held.common, 0});
    if (held.experts == 0) return;
    lines_.Line("moe_grad_comm");
    Reduce({0, held.experts});
  }

  /// The first and the last stage have copies of a tied embedding, whose gradients are summed
  /// (Megatron-LM's finalize_model_grads).
  void TiedGradients() {
    if (!unlike_ || !model_.shape.tied || plan_.has_output(PipelinePart::kFirst)) return;
    lines_.On({{true, false, true}});
    lines_.Line("embedding_grads")
        .TiedGradients(kGradientBytes * model_.work.ParametersOf(BlockKind::kOutput, false).common /
                       (plan_.shards_parameters() ? plan_.data_context() : 1));
    lines_.On({});
  }

  /// Gradients of the line's weights: to their owners with ZeRO, else to all.
  void Reduce(const HeldParameters& held) {
    const Op operation = plan_.zero ? Op::kReduceScatter : Op::kAllReduce;
    if (held.experts > 0)
      lines_.WeightGradient(operation, GroupType::kDataExpert, kGradientBytes * held.experts);
    else
      lines_.WeightGradient(operation, GroupType::kData, kGradientBytes * held.common);
  }

  /// The same for a block whose gradients are whole after the last micro-batch. Sharded ones are
  /// reduced together (Shard).
  void ReduceBlock(bool last, BlockKind kind, bool with_experts) {
    if (last && plan_.overlap_gradients && !plan_.shards_parameters())
      Reduce(model_.work.ParametersOf(kind, with_experts));
  }

  /// The last line begins a unit whose parameters are gathered before it, and whose gradients go to
  /// their owners when its backward step is done. As in PyTorch's FSDP a layer is a unit, and what
  /// is in no layer is gathered together before the first one, and kept.
  void Shard(const HeldParameters& unit, bool kept) {
    if (!plan_.shards_parameters()) return;
    lines_.Gather(kParameterBytes * unit.common, kParameterBytes * unit.experts, kept);
    if (unit.common > 0) Reduce({unit.common, 0});
  }

  void MicroBatch(bool last) {
    if (unlike_) On(PipelinePart::kFirst);
    lines_.Line("embedding_layer", model_.times.Of(BlockKind::kEmbedding).all());
    if (sequence_)
      lines_.Activations(Op::kReduceScatter, Op::kAllGather);
    else
      lines_.Activations(Op::kAllReduce, Op::kNone);
    ReduceBlock(last, BlockKind::kEmbedding, false);
    Shard(unlike_ ? model_.work.ParametersOf(BlockKind::kEmbedding, false)
                  : model_.work.RootParameters(PipelinePart::kFirst),
          /*kept=*/true);
    Layers(last, false, &StageLayers::dense);
    Layers(last, true, &StageLayers::with_experts);
    lines_.On({});
    if (unlike_) On(PipelinePart::kLast);
    Output(last);
    lines_.On({});
  }

  /// Adds the layers of one kind. Each part of the pipeline has the first of them, as many as it
  /// has layers of this kind.
  void Layers(bool last, bool with_experts, std::int64_t StageLayers::*kind) {
    std::array<std::int64_t, kPipelineParts> own = {};
    for (int i = 0; i < kPipelineParts; ++i)
      own[i] = StageLayersOf(model_.shape, plan_, static_cast<PipelinePart>(i)).*kind;
    if (plan_.pipeline == 2) own[1] = std::min(own[0], own[2]);  // nothing lies between
    const std::int64_t most = *std::max_element(own.begin(), own.end());
    for (std::int64_t i = 0; i < most; ++i) {
      const PipelineParts place{{i < own[0], i < own[1], i < own[2]}};
      if (place.parts[0] && !place.parts[1] && place.parts[2]) {  // an operation's stages adjoin
        On(PipelinePart::kFirst);
        Layer(last, with_experts);
        On(PipelinePart::kLast);
      } else {
        lines_.On(place);
      }
      Layer(last, with_experts);
    }
  }

  void Layer(bool last, bool with_experts) {
    plan_.context > 1 || plan_.overlaps_tensor()
        ? AttentionInParts(last, with_experts)
        : TwoHalves("attention", BlockKind::kAttention, last, with_experts);
    if (with_experts)
      ExpertLayer(last);
    else
      TwoHalves("mlp", BlockKind::kMlp, last, false);
    if (plan_.recompute) lines_.Recompute("layer_end");
  }

  /// A block whose first matrices are split by columns and whose last is split by rows.
  void TwoHalves(const std::string& name, BlockKind kind, bool last, bool with_experts) {
    const BlockTimes times = model_.times.Of(kind);
    if (sequence_) {
      Column(name, times);
      BeginLayer(kind, with_experts);
      ReduceBlock(last, kind, with_experts);
      return Row(name, times);
    }
    lines_.Line(name + "_layer", times.all()).Activations(Op::kAllReduce, Op::kAllReduce);
    BeginLayer(kind, with_experts);
    ReduceBlock(last, kind, with_experts);
  }

  /// The first half of a block. Of the backward pass Transformer Engine has the ReduceScatter under
  /// the gradient of the weights, which takes as long as that of the input.
  void Column(const std::string& name, const BlockTimes& times) {
    lines_.Line(name + "_column", times.column);
    sequence_ ? lines_.Activations(Op::kAllGather, Op::kReduceScatter)
              : lines_.Activations(Op::kNone, Op::kAllReduce);
    if (plan_.overlaps_tensor()) lines_.Together();
  }

  /// The second half.
  void Row(const std::string& name, const BlockTimes& times) {
    lines_.Line(name + "_row", times.row);
    sequence_ ? lines_.Activations(Op::kReduceScatter, Op::kAllGather)
              : lines_.Activations(Op::kAllReduce, Op::kNone);
    if (plan_.overlaps_tensor()) lines_.Together();
  }

  /// Attention whose pairs of positions lie between the two halves, with what ranks that share the
  /// positions exchange.
  void AttentionInParts(bool last, bool with_experts) {
    const BlockTimes times = model_.times.Of(BlockKind::kAttention);
    Column("attention", times);
    BeginLayer(BlockKind::kAttention, with_experts);
    ReduceBlock(last, BlockKind::kAttention, with_experts);
    if (plan_.context > 1)
      AddContextLines(model_, times.pairs, &lines_);
    else
      lines_.Line("attention_pairs", times.pairs);
    Row("attention", times);
  }

  /// A layer's first block is attention. The input is kept if the layer is computed again.
  void BeginLayer(BlockKind kind, bool with_experts) {
    if (kind != BlockKind::kAttention) return;
    if (plan_.recompute) lines_.KeepInput();
    Shard(model_.work.LayerParameters(with_experts), /*kept=*/false);
  }

  /// Tokens go to the GPUs of their experts and back; TP's GPUs have slices of each expert, and
  /// gather the tokens for them.
  void ExpertLayer(bool last) {
    const std::int64_t copies = model_.shape.top_k;
    const std::int64_t to_experts = lines_.activation_bytes() * copies / plan_.tensor;
    lines_.Line("moe_router", model_.times.Of(BlockKind::kRouter).all())
        .Forward(Op::kAllGather, GroupType::kExpert,
                 kCountBytes * model_.shape.experts * plan_.expert);
    ReduceBlock(last, BlockKind::kRouter, true);
    lines_.Line("moe_dispatch")
        .Forward(Op::kAllToAll, GroupType::kExpert, to_experts)
        .InputGradient(Op::kAllToAll, GroupType::kExpert, to_experts);
    if (plan_.tensor > 1)
      lines_.Line("moe_gather").Activations(Op::kAllGather, Op::kReduceScatter, copies);
    const bool reduces = last && plan_.overlap_gradients && !plan_.shards_parameters();
    if (reduces && model_.shape.shared_ffn > 0) {
      lines_.Line("moe_shared");
      Reduce({model_.work.ParametersOf(BlockKind::kExperts, true).common, 0});
    }
    lines_.Line("moe_experts", model_.times.Of(BlockKind::kExperts).all())
        .Activations(Op::kReduceScatter, Op::kAllGather, copies);
    ReduceBlock(last, BlockKind::kExperts, true);
    if (plan_.shards_parameters())
      Reduce({0, model_.work.ParametersOf(BlockKind::kExperts, true).experts});
    lines_.Line("moe_combine")
        .Forward(Op::kAllToAll, GroupType::kExpert, to_experts)
        .InputGradient(Op::kAllToAll, GroupType::kExpert, to_experts);
  }

  /// The product with the vocabulary, split by words; the loss needs maximum, target and sum of all
  /// words.
  void Output(bool last) {
    const PhaseTimes times = model_.times.Of(BlockKind::kOutput).all();
    if (sequence_)
      lines_.Line("final_column", times).Activations(Op::kAllGather, Op::kReduceScatter);
    else
      lines_.Line("final_layer", times).Activations(Op::kNone, Op::kAllReduce);
    if (unlike_ || (plan_.pipeline == 1 && !model_.shape.tied))
      ReduceBlock(last, BlockKind::kOutput, false);
    Shard(unlike_ ? OutputUnit() : HeldParameters(), /*kept=*/true);
    PhaseTimes loss = model_.times.Of(BlockKind::kLoss).all();
    for (const char* name : {"loss_maximum", "loss_target", "loss_sum"}) {
      lines_.Line(name, loss)
          .Forward(Op::kAllReduce, GroupType::kTensor,
                   kGradientBytes * TokensOf(model_.shape, plan_));
      loss = {};
    }
  }

  /// Parameters of the last stage that are in no layer.
  HeldParameters OutputUnit() const {
    return {model_.work.ParametersOf(BlockKind::kOutput, false).common + model_.work.LastNorm(), 0};
  }

  const StepModel& model_;
  const ParallelPlan& plan_;
  const bool sequence_, unlike_;
  StepLines lines_;
};

}  // namespace

Workload MegatronStep(const StepModel& model) { return MegatronLines(model).Step(); }

}  // namespace heddle
