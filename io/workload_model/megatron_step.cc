// SPDX-License-Identifier: GPL-2.0-only
/// The lines of Megatron-LM's step.
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
      : model_(model), plan_(model.plan), sequence_(plan_.splits_sequence()), lines_(model) {}

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
    const HeldParameters held = model_.work.StageParameters();
    if (plan_.zero == 1) {
      lines_.Line("grad_gather")
          .WeightGradient(Op::kAllGather, GroupType::kData, kParameterBytes * held.common);
      if (held.experts > 0)
        lines_.Line("moe_grad_gather")
            .WeightGradient(Op::kAllGather, GroupType::kDataExpert, kParameterBytes * held.experts);
    }
    PhaseTimes adam;
    adam.input_gradient = model_.times.Of(BlockKind::kOptimizer).column.forward;
    lines_.Line("grad_param_compute", adam);
    if (plan_.shards_parameters()) {
      // Each micro-batch has reduced its gradients.
    } else if (!plan_.overlap_gradients) {
      lines_.Line("grad_param_comm");
      Reduce({held.common, 0});
      if (held.experts > 0) {
        lines_.Line("moe_grad_comm");
        Reduce({0, held.experts});
      }
    } else {  // what no block has
      lines_.Line("grad_last_norm");
      Reduce({model_.shape.hidden * (model_.shape.biases ? 2 : 1), 0});
    }
    if (sequence_)
      lines_.Line("layernorm_grads")
          .InputGradient(Op::kAllReduce, GroupType::kTensor,
                         kGradientBytes * model_.work.StageNorms());
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
    const StageLayers layers = StageLayersOf(model_.shape, plan_);
    lines_.Line("embedding_layer", model_.times.Of(BlockKind::kEmbedding).all());
    if (sequence_)
      lines_.Activations(Op::kReduceScatter, Op::kAllGather);
    else
      lines_.Activations(Op::kAllReduce, Op::kNone);
    ReduceBlock(last, BlockKind::kEmbedding, false);
    Shard(model_.work.RootParameters(), /*kept=*/true);
    for (std::int64_t i = 0; i < layers.dense + layers.with_experts; ++i)
      Layer(last, i >= layers.dense);
    Output(last);
  }

  void Layer(bool last, bool with_experts) {
    plan_.context > 1 ? ContextAttention(last, with_experts)
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
      lines_.Line(name + "_column", times.column).Activations(Op::kAllGather, Op::kReduceScatter);
      BeginLayer(kind, with_experts);
      ReduceBlock(last, kind, with_experts);
      lines_.Line(name + "_row", times.row).Activations(Op::kReduceScatter, Op::kAllGather);
      return;
    }
    lines_.Line(name + "_layer", times.all()).Activations(Op::kAllReduce, Op::kAllReduce);
    BeginLayer(kind, with_experts);
    ReduceBlock(last, kind, with_experts);
  }

  /// Attention to positions of other ranks: what these exchange lies between the two halves.
  void ContextAttention(bool last, bool with_experts) {
    const BlockTimes times = model_.times.Of(BlockKind::kAttention);
    lines_.Line("attention_column", times.column);
    sequence_ ? lines_.Activations(Op::kAllGather, Op::kReduceScatter)
              : lines_.Activations(Op::kNone, Op::kAllReduce);
    BeginLayer(BlockKind::kAttention, with_experts);
    ReduceBlock(last, BlockKind::kAttention, with_experts);
    AddContextLines(model_, times.pairs, &lines_);
    lines_.Line("attention_row", times.row);
    sequence_ ? lines_.Activations(Op::kReduceScatter, Op::kAllGather)
              : lines_.Activations(Op::kAllReduce, Op::kNone);
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
    if (plan_.pipeline == 1 && !model_.shape.tied) ReduceBlock(last, BlockKind::kOutput, false);
    Shard({}, /*kept=*/true);
    PhaseTimes loss = model_.times.Of(BlockKind::kLoss).all();
    for (const char* name : {"loss_maximum", "loss_target", "loss_sum"}) {
      lines_.Line(name, loss)
          .Forward(Op::kAllReduce, GroupType::kTensor,
                   kGradientBytes * TokensOf(model_.shape, plan_));
      loss = {};
    }
  }

  const StepModel& model_;
  const ParallelPlan& plan_;
  const bool sequence_;
  StepLines lines_;
};

}  // namespace

Workload MegatronStep(const StepModel& model) { return MegatronLines(model).Step(); }

}  // namespace heddle
