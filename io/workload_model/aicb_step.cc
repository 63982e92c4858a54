// SPDX-License-Identifier: GPL-2.0-only
/// The lines of AICB's files that come with SimAI, with what is odd in them.
///
/// Dense models as in GPT13B_megatron_tp8_pp1 and Llama7B_megatron_tp2_pp1 (an AllGather and an
/// AllReduce of all parameters in the TP group, an AllReduce of the whole embedding); models with
/// experts as in SimAI's workload_analytical.txt (a column's gradient of 0 bytes, embeddings
/// counted four times, an expert of two matrices). Biases and most norms are not counted. Compute
/// times are the roofline's or the table's, in AICB's places.
#include "io/workload_model/step_workload.h"

namespace heddle {
namespace {

using Op = Operation;

constexpr std::int64_t kBf16 = 2, kFp32 = 4, kInt64 = 8;

class AicbLines {
 public:
  explicit AicbLines(const StepModel& model)
      : model_(model), shape_(model.shape), plan_(model.plan), lines_(model) {}

  Workload Step() && {
    const bool moe = shape_.has_experts();
    const std::int64_t tokens = TokensOf(shape_, plan_);
    moe ? OnceWithExperts() : OnceDense(tokens);
    for (std::int64_t i = 0; i < plan_.micro_batches(); ++i) moe ? WithExperts() : Dense();
    for (const char* name : {"cross_entropy1", "cross_entropy2", "cross_entropy3"})
      lines_.Line(name).Forward(Op::kAllReduce, GroupType::kTensor, kFp32 * tokens);
    for (const char* name : {"optimizer1", "optimizer2", "optimizer3", "optimizer4"})
      lines_.Line(name).Forward(Op::kAllReduce, GroupType::kTensor, kFp32);
    Workload workload = std::move(lines_).Finish();
    workload.virtual_pipeline = layers();
    if (plan_.pipeline > 1) workload.pipeline_bytes = kBf16 * tokens * shape_.hidden;
    return workload;
  }

 private:
  std::int64_t layers() const { return shape_.layers / plan_.pipeline; }
  std::int64_t Split(const SplitWeights& weights) const {
    return (weights.column + weights.row) / plan_.tensor;
  }
  std::int64_t WordRows() const { return PaddedVocabulary(shape_, plan_) / plan_.tensor; }
  PhaseTimes Adam() const {
    PhaseTimes times;
    times.input_gradient = model_.times.Of(BlockKind::kOptimizer).column.forward;
    return times;
  }

  void OnceDense(std::int64_t tokens) {
    const std::int64_t parameters =
        layers() * (Split(AttentionWeights(shape_)) + Split(MlpWeights(shape_, shape_.ffn))) +
        (2 * WordRows() + shape_.sequence) * shape_.hidden;
    lines_.Line("norm").Forward(Op::kBroadcast, GroupType::kTensor, kInt64 * tokens);
    lines_.Line("grad_norm", Adam())
        .Forward(Op::kAllGather, GroupType::kTensor, kBf16 * parameters)
        .WeightGradient(Op::kReduceScatter, GroupType::kData, kFp32 * parameters);
    lines_.Line("layernorm").InputGradient(Op::kAllReduce, GroupType::kTensor, kBf16 * parameters);
  }

  void Dense() {
    lines_.Line("embedding_layer", model_.times.Of(BlockKind::kEmbedding).all())
        .Activations(Op::kAllReduce, Op::kAllReduce);
    for (std::int64_t i = 0; i < layers(); ++i) {
      DenseBlock("attention", model_.times.Of(BlockKind::kAttention));
      DenseBlock("mlp", model_.times.Of(BlockKind::kMlp));
    }
    lines_.Line("embedding_norm", model_.times.Of(BlockKind::kOutput).all())
        .Forward(Op::kAllReduce, GroupType::kTensor, kBf16 * shape_.vocabulary * shape_.hidden);
  }

  void DenseBlock(const std::string& name, const BlockTimes& times) {
    if (!plan_.splits_sequence()) {
      lines_.Line(name + "_layer", times.all()).Activations(Op::kAllReduce, Op::kAllReduce);
      return;
    }
    lines_.Line(name + "_column_layer", times.column)
        .Activations(Op::kAllGather, Op::kReduceScatter);
    lines_.Line(name + "_row_layer", times.row).Activations(Op::kReduceScatter, Op::kAllGather);
  }

  void OnceWithExperts() {
    const std::int64_t common = layers() * (Split(AttentionWeights(shape_)) + 2 * shape_.hidden) +
                                (5 * WordRows() + shape_.sequence) * shape_.hidden;
    const std::int64_t expert =
        2 * shape_.hidden * (shape_.expert_ffn * (shape_.experts / plan_.expert) / plan_.tensor);
    lines_.Line("grad_gather").WeightGradient(Op::kAllGather, GroupType::kData, kBf16 * common);
    lines_.Line("grad_param_comm")
        .WeightGradient(Op::kReduceScatter, GroupType::kData, kFp32 * common);
    lines_.Line("grad_param_compute", Adam());
    lines_.Line("embedding_grads").Activations(Op::kNone, Op::kAllReduce);
    if (plan_.data_expert() == 1) return;
    lines_.Line("moe_grad_norm1")
        .WeightGradient(Op::kAllGather, GroupType::kDataExpert, kBf16 * layers() * expert);
    lines_.Line("moe_grad_norm2")
        .WeightGradient(Op::kReduceScatter, GroupType::kDataExpert, kFp32 * layers() * expert);
  }

  void WithExperts() {
    lines_.Line("embedding_layer", model_.times.Of(BlockKind::kEmbedding).all())
        .Activations(Op::kAllReduce, Op::kNone);
    for (std::int64_t i = 0; i < layers(); ++i) {
      Column("attention_column", model_.times.Of(BlockKind::kAttention).column);
      lines_.Line("attention_row", model_.times.Of(BlockKind::kAttention).row)
          .Activations(Op::kReduceScatter, Op::kAllGather);
      ExpertLayer();
    }
    Column("final_column", model_.times.Of(BlockKind::kOutput).all());
  }

  /// The gradient of its input has no bytes.
  void Column(const std::string& name, const PhaseTimes& times) {
    lines_.Line(name, times).Activations(Op::kAllGather, Op::kNone);
    lines_.InputGradient(Op::kReduceScatter, GroupType::kTensor, 0);
  }

  void ExpertLayer() {
    const std::int64_t copies = shape_.top_k;
    const std::int64_t slice = lines_.activation_bytes() / plan_.tensor;
    const std::int64_t counts = kBf16 * shape_.hidden * shape_.experts;
    const auto exchange = [&](GroupType group, std::int64_t bytes) {
      lines_.Line("mlp_moelayer")
          .Forward(Op::kAllToAll, group, bytes)
          .InputGradient(Op::kAllToAll, group, bytes);
    };
    const PhaseTimes router = model_.times.Of(BlockKind::kRouter).all();
    lines_.Line("mlp_moelayer", router)
        .Forward(Op::kAllGather, GroupType::kTensor, counts)
        .InputGradient(Op::kAllGather, GroupType::kTensor, counts);
    exchange(GroupType::kTensor, slice);
    exchange(GroupType::kExpert, slice * copies);
    lines_.Line("mlp_moelayer").Activations(Op::kAllGather, Op::kReduceScatter, copies);
    lines_.Line("mlp_moelayer", model_.times.Of(BlockKind::kExperts).all())
        .Activations(Op::kReduceScatter, Op::kAllGather, copies);
    exchange(GroupType::kExpert, slice * copies);
    exchange(GroupType::kTensor, slice);
  }

  const StepModel& model_;
  const ModelShape& shape_;
  const ParallelPlan& plan_;
  StepLines lines_;
};

}  // namespace

Workload AicbStep(const StepModel& model) { return AicbLines(model).Step(); }

}  // namespace heddle
