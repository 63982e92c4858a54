// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/steps/step_program.h"

#include <algorithm>

namespace heddle {
namespace {

std::int64_t RoundUp(__int128 amount, std::int64_t parts) {
  return std::max<std::int64_t>(static_cast<std::int64_t>((amount + parts - 1) / parts), 1);
}

}  // namespace

Time StepPath::Of(std::int64_t messages, std::int64_t bytes) const {
  constexpr __int128 kBitTicks = 8'000'000'000'000;  // ps for a byte at 1 bit/s
  const __int128 ticks = kBitTicks * messages * bytes;
  return delay * messages + Time{static_cast<std::int64_t>((ticks + rate.bps - 1) / rate.bps)};
}

StepOperation StepProgram::At(std::uint32_t operation) const {
  constexpr StepOperation kApart[] = {StepOperation::kReduceScatter, StepOperation::kDispatch,
                                      StepOperation::kCombine, StepOperation::kAllGather};
  return shape_.top_k > 0 ? kApart[operation % 4] : StepOperation::kAllReduce;
}

std::uint32_t StepProgram::RoundsOf(StepOperation operation) const {
  if (IsExchange(operation)) return 1;
  const std::uint32_t half = layout_.groups - 1;
  return operation == StepOperation::kAllReduce ? 2 * half : half;
}

std::uint32_t StepProgram::MessagesOf(StepOperation operation) const {
  return IsExchange(operation) ? layout_.ranks() - layout_.near : 1;
}

bool StepProgram::Sends(std::uint32_t operation, std::uint32_t round, std::uint32_t source,
                        std::uint32_t destination) const {
  const bool known = operation < operations() && source < layout_.ranks() &&
                     destination < layout_.ranks() && round < RoundsOf(At(operation));
  if (!known) return false;
  const std::uint32_t from = layout_.GroupOf(source), to = layout_.GroupOf(destination);
  if (IsExchange(At(operation))) return from != to;
  return to == (from + 1) % layout_.groups && from != to &&
         layout_.MemberOf(source) == layout_.MemberOf(destination);
}

std::int64_t StepProgram::BytesOf(StepOperation operation, std::int64_t tokens) const {
  const std::int64_t ranks = layout_.ranks();
  if (!IsExchange(operation)) return RoundUp(__int128{shape_.token_bytes} * tokens, ranks);
  const std::int64_t token =
      operation == StepOperation::kDispatch ? shape_.dispatched_bytes : shape_.token_bytes;
  return RoundUp(__int128{token} * shape_.top_k * tokens, ranks * ranks);
}

std::int64_t StepProgram::NearBytes(std::int64_t tokens) const {
  return RoundUp(__int128{shape_.token_bytes} * tokens, layout_.near);
}

Time StepProgram::Before(StepOperation operation, std::int64_t tokens) const {
  const bool reduces =
      operation == StepOperation::kAllReduce || operation == StepOperation::kReduceScatter;
  return reduces && layout_.near > 1 ? near.Of(layout_.near - 1, NearBytes(tokens)) : Time{};
}

Time StepProgram::After(StepOperation operation, std::int64_t tokens) const {
  const bool gathers =
      operation == StepOperation::kAllReduce || operation == StepOperation::kAllGather;
  return gathers && layout_.near > 1 ? near.Of(layout_.near - 1, NearBytes(tokens)) : Time{};
}

Time StepProgram::Beside(StepOperation operation, std::int64_t tokens) const {
  if (!IsExchange(operation) || layout_.near == 1) return {};
  // All leave one GPU one after the other, and their delays overlap.
  return near.delay + StepPath{Time{}, near.rate}.Of(layout_.near - 1, BytesOf(operation, tokens));
}

Time StepProgram::TimeOf(std::int64_t tokens) const {
  Time sum;
  ForEachKind([&](StepOperation operation, std::uint32_t count) {
    Time between;
    if (layout_.groups > 1) {
      const std::int64_t bytes = BytesOf(operation, tokens);
      const std::int64_t sends = MessagesOf(operation);
      between = IsExchange(operation) ? far.delay + StepPath{Time{}, far.rate}.Of(sends, bytes)
                                      : far.Of(RoundsOf(operation), bytes);
    }
    between = std::max(between, Beside(operation, tokens));
    sum += (Before(operation, tokens) + between + After(operation, tokens)) * count;
  });
  return sum;
}

}  // namespace heddle
