// SPDX-License-Identifier: GPL-2.0-only
/// Interleaved 1F1B: a stage holds several chunks of the model, and works on a group of
/// micro-batches on one chunk, then on the next. Position of chunk q on stage s of p: q p + s.
///
/// With v chunks, m micro-batches in groups of n: forward k of a stage is entry k of the list of
/// (micro-batch, chunk) by groups, by chunks, by micro-batches; backward k is the same entry with
/// chunk v - 1 - q. First come 2 (p - 1 - s) + (v - 1) n forwards, then one forward and one
/// backward in turn. A stage holds one chunk's activations more than these forwards, at most.
///
/// In pairs one more forward comes first, so that a forward and the backward behind it have
/// different micro-batches, or chunks, and are done together.
///
/// Source: D. Narayanan et al., SC 2021, 2.2; Megatron-LM,
/// forward_backward_pipelining_with_interleaving and get_schedule_table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "collectives/pipeline/schedule_row.h"

namespace heddle {
namespace {

struct InterleavedEntry {
  std::uint32_t micro_batch, chunk;
};

std::vector<InterleavedEntry> InterleavedEntries(const ScheduleRequest& request) {
  std::vector<InterleavedEntry> entries;
  const std::uint32_t group = request.GroupSize();
  for (std::uint32_t first = 0; first < request.micro_batches;) {
    const std::uint32_t size = std::min(group, request.micro_batches - first);
    for (std::uint32_t chunk = 0; chunk < request.chunks; ++chunk) {
      for (std::uint32_t m = first; m < first + size; ++m) entries.push_back({m, chunk});
    }
    first += size;
  }
  return entries;
}

PipelineTable MakeInterleaved(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, request.chunks, ChunkPlacement::kLoop};
  const std::vector<InterleavedEntry> entries = InterleavedEntries(request);
  for (std::uint32_t stage = 0; stage < request.stages; ++stage) {
    std::vector<PipelineTask>& order = table.order.emplace_back();
    const auto forward = [&](std::size_t k, bool with_next) {
      order.push_back(
          {PipelineWork::kForward, with_next, entries[k].chunk, entries[k].micro_batch});
    };
    const auto backward = [&](std::size_t k) {
      order.push_back({PipelineWork::kBackward, false, request.chunks - 1 - entries[k].chunk,
                       entries[k].micro_batch});
    };
    const std::uint64_t wanted = 2 * std::uint64_t{request.stages - 1 - stage} +
                                 std::uint64_t{request.chunks - 1} * request.GroupSize() +
                                 (request.in_pairs ? 1 : 0);
    const std::size_t ahead = std::min<std::uint64_t>(wanted, entries.size());
    for (std::size_t k = 0; k < ahead; ++k) forward(k, false);
    for (std::size_t k = ahead; k < entries.size(); ++k) {
      forward(k, request.in_pairs);
      backward(k - ahead);
    }
    for (std::size_t k = entries.size() - ahead; k < entries.size(); ++k) backward(k);
  }
  return table;
}

/// Megatron-LM's condition: a last group that is not whole has a micro-batch for each stage.
bool IsLegalGroup(std::uint32_t stages, std::uint32_t micro_batches, std::uint32_t group) {
  const std::uint32_t rest = micro_batches % group;
  return group >= stages && group <= micro_batches && (rest == 0 || rest >= stages);
}

/// The nearest legal group; 0: there is none.
std::uint32_t NearestGroup(const ScheduleRequest& request) {
  std::uint32_t nearest = 0;
  const auto distance = [&](std::uint32_t group) {
    return std::abs(static_cast<std::int64_t>(group) - request.GroupSize());
  };
  for (std::uint32_t group = request.stages; group <= request.micro_batches; ++group) {
    if (!IsLegalGroup(request.stages, request.micro_batches, group)) continue;
    if (nearest == 0 || distance(group) < distance(nearest)) nearest = group;
  }
  return nearest;
}

std::string RefuseInterleaved(const ScheduleRequest& request) {
  const std::uint32_t group = request.GroupSize();
  if (IsLegalGroup(request.stages, request.micro_batches, group)) return {};
  const std::string found =
      fmt::format("{} micro-batches (ga) in groups of {} on {} pipeline stages (pp). Expected: ",
                  request.micro_batches, group, request.stages);
  if (const std::uint32_t nearest = NearestGroup(request); nearest > 0)
    return found + fmt::format(
                       "pipeline.group={}, as a group, the last one too, has a micro-batch for "
                       "each stage",
                       nearest);
  return found + fmt::format("{} micro-batches or more, one for each stage", request.stages);
}

}  // namespace

ScheduleRow Interleaved() {
  return {
      "interleaved",     "1F1B with several chunks of the model on a stage", true, MakeInterleaved,
      RefuseInterleaved,
      /*in_pairs=*/true};
}

}  // namespace heddle
