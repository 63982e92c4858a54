// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/context_lines.h"

#include <string>

namespace heddle {
namespace {

constexpr std::int64_t kExchangedBytes = 2;  // bf16
constexpr auto kContextGroup = GroupType::kContext;

/// Part `part` of `parts` of a time, in whole nanoseconds; all parts make the whole.
Time Slice(Time whole, std::int64_t part, std::int64_t parts) {
  const std::int64_t ns = whole.ps / 1000;
  return NanoSeconds(ns * (part + 1) / parts - ns * part / parts);
}

/// One line for each step of the ring. The backward pass takes the last line first.
void AddRing(std::int64_t ranks, const ContextBytes& bytes, const PhaseTimes& pairs,
             StepLines* lines) {
  for (std::int64_t step = 0; step < ranks; ++step) {
    const bool first = step == 0, last = step + 1 == ranks;
    PhaseTimes times;
    times.forward = Slice(pairs.forward, step, ranks);
    times.input_gradient = Slice(pairs.input_gradient, step, ranks);
    lines->Line("attention_pairs" + std::to_string(step), times).Together();
    if (!last) lines->Forward(Operation::kSendRecv, kContextGroup, bytes.keys_values);
    lines->InputGradient(Operation::kSendRecv, kContextGroup,
                         (first || last ? 1 : 2) * bytes.keys_values);
  }
}

}  // namespace

ContextBytes ContextBytesOf(const ModelShape& shape, const ParallelPlan& plan) {
  const std::int64_t keys = shape.kv_rank > 0 ? shape.heads : shape.kv_heads;
  const std::int64_t keys_values = keys * (shape.score_dim() + shape.value_dim());
  const auto bytes_of = [&](std::int64_t numbers) {
    return kExchangedBytes * TokensOf(shape, plan) * (numbers / plan.tensor);
  };
  return {bytes_of(keys_values), bytes_of(keys_values + shape.heads * shape.score_dim()),
          bytes_of(shape.heads * shape.value_dim())};
}

void AddContextLines(const StepModel& model, const PhaseTimes& pairs, StepLines* lines) {
  const std::int64_t ranks = model.plan.context;
  const ContextBytes bytes = ContextBytesOf(model.shape, model.plan);
  switch (model.plan.exchange) {
    case ContextExchange::kRing:
      return AddRing(ranks, bytes, pairs, lines);
    case ContextExchange::kAllToAll:
      lines->Line("attention_to_heads")
          .Forward(Operation::kAllToAll, kContextGroup, bytes.queries_too)
          .InputGradient(Operation::kAllToAll, kContextGroup, bytes.queries_too);
      lines->Line("attention_pairs", pairs)
          .Forward(Operation::kAllToAll, kContextGroup, bytes.output)
          .InputGradient(Operation::kAllToAll, kContextGroup, bytes.output);
      return;
    case ContextExchange::kAllGather:
      lines->Line("attention_gather")
          .Forward(Operation::kAllGather, kContextGroup, ranks * bytes.keys_values)
          .InputGradient(Operation::kAllGather, kContextGroup, ranks * bytes.keys_values);
      lines->Line("attention_pairs", pairs)
          .InputGradient(Operation::kReduceScatter, kContextGroup, ranks * bytes.keys_values);
      return;
  }
}

}  // namespace heddle
