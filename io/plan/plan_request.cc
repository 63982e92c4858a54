// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_request.h"

#include "core/base/ids.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostSize = 1 << 20, kMostSequence = 1 << 24, kMostBatch = 1 << 24;

}  // namespace

const std::vector<ShapeNumber>& ShapeNumbers() {
  using S = ModelShape;
  static const std::vector<ShapeNumber> numbers = {
      {"--layers", &S::layers, 1, kMostSize, false, "transformer layers"},
      {"--hidden", &S::hidden, 1, kMostSize, false, "hidden size"},
      {"--heads", &S::heads, 1, kMostSize, false, "attention heads"},
      {"--kv-heads", &S::kv_heads, 1, kMostSize, false, "heads of keys and values"},
      {"--head-size", &S::head_dim, 1, kMostSize, false, "numbers of a head"},
      {"--ffn", &S::ffn, 1, kMostSize, false, "inner size of the MLP"},
      {"--vocabulary", &S::vocabulary, 1, kMostSequence, false, "words"},
      {"--sequence", &S::sequence, 1, kMostSequence, false, "tokens of a sequence"},
      {"--experts", &S::experts, 1, kMostSize, true, "experts of a layer"},
      {"--top-k", &S::top_k, 1, kMostSize, true, "experts that a token passes through"},
      {"--expert-ffn", &S::expert_ffn, 1, kMostSize, true, "inner size of an expert"},
      {"--shared-ffn", &S::shared_ffn, 0, kMostSize, true,
       "inner size of the expert that sees all tokens, 0: none"},
      {"--dense-layers", &S::dense_layers, 0, kMostSize, true, "first layers without experts"},
  };
  return numbers;
}

const std::vector<PlanNumber>& PlanNumbers() {
  using P = ParallelPlan;
  static const std::vector<PlanNumber> numbers = {
      {"--gpus", &P::gpus, kMaxNodes, "GPUs of the job"},
      {"--tp", &P::tensor, kMaxNodes, "tensor parallel GPUs (default: 1)"},
      {"--cp", &P::context, kMaxNodes,
       "context parallel GPUs, which share the positions of a sequence (default: 1)"},
      {"--pp", &P::pipeline, kMaxNodes, "pipeline stages (default: 1)"},
      {"--first-layers", &P::first_layers, kMostSize,
       "layers of the first stage (default: as many as the others)"},
      {"--last-layers", &P::last_layers, kMostSize,
       "layers of the last stage (default: as many as the others)"},
      {"--vpp", &P::virtual_pipeline, kMaxNodes,
       "chunks of the model on a stage, which are interleaved (default: 1)"},
      {"--group", &P::in_a_row, kMostBatch,
       "micro-batches in a row on one chunk, if interleaved (default: as many as stages)"},
      {"--ep", &P::expert, kMaxNodes,
       "expert parallel GPUs (default: as many as experts and DP have in common)"},
      {"--micro-batch", &P::micro_batch, kMostBatch, "sequences (default: 1)"},
      {"--global-batch", &P::global_batch, kMostBatch,
       "sequences of a step (default: one micro-batch for each replica, with stages 5 x PP)"},
      {"--vocabulary-multiple", &P::vocabulary_multiple, kMostSize,
       "the vocabulary is padded to a multiple of it x TP (default: 128)"},
  };
  return numbers;
}

const std::vector<ExpertKey>& ExpertKeys() {
  using K = ExpertKeyKind;
  static const std::vector<ExpertKey> keys = {
      {"routing", K::kWord},     {"form", K::kWord},     {"dispatch", K::kWord},
      {"capacity", K::kNumber},  {"groups", K::kNumber}, {"top_groups", K::kNumber},
      {"zipf", K::kNumber},      {"sigma", K::kNumber},  {"hot", K::kNumber},
      {"hot_share", K::kNumber}, {"order", K::kWord},    {"draws", K::kWord},
      {"compute", K::kTruth},    {"seed", K::kNumber},   {"chunks", K::kNumber},
      {"table", K::kFile}};
  return keys;
}

PlanRequest::PlanRequest() : shape(ShapeNumbers().size()) { parallel.expert = 0; }

}  // namespace heddle
