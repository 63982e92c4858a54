// SPDX-License-Identifier: GPL-2.0-only
/// What serves requests: a model, and instances of it on GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/serving/batcher.h"
#include "core/serving/model/kv_shares.h"
#include "core/serving/model/model_shape.h"
#include "core/serving/model/step_cost.h"
#include "core/serving/routing/serving_router.h"
#include "core/serving/steps/step_program.h"

namespace heddle {

/// What an instance computes: prompts and answers, or one of them.
enum class InstanceRole : std::uint8_t { kMixed, kPrefill, kDecode };
constexpr auto WordsOf(InstanceRole) { return std::array{"mixed", "prefill", "decode"}; }

/// Whose first token the user sees, if prompts and answers have instances of their own: the decode
/// instance computes the last token of the prompt again, as vLLM's simple proxy has it, or the
/// prefill instance passes its token on.
enum class FirstToken : std::uint8_t { kDecode, kPrefill };
constexpr auto WordsOf(FirstToken) { return std::array{"decode", "prefill"}; }

/// When a prefill instance sends a prompt's KV: all of it when the prompt is computed, that of each
/// step when the step ends, or that of some layers as soon as a step has computed them.
enum class KvTransfer : std::uint8_t { kEnd, kChunk, kLayer };
constexpr auto WordsOf(KvTransfer) { return std::array{"end", "chunk", "layer"}; }

struct InstancePlan {
  InstanceRole role = InstanceRole::kMixed;
  std::uint32_t pool = 0;    ///< of ServingPlan::pools
  std::vector<NodeId> gpus;  ///< by rank of tensor parallelism
  BatchLimits limits;
  std::int64_t blocks = 0;  ///< of KV memory
  StepCost cost;
  StepProgram collectives;  ///< of a step

  /// Whether the collectives of a step are messages, so that its end is not known when it begins.
  bool sends_in_steps() const { return collectives.messages && collectives.leaves_groups(); }
};

struct ServingPlan {
  ServedModel model;
  std::int64_t kv_bytes = 2;       ///< of an element
  std::int64_t block_tokens = 16;  ///< of a block of KV memory
  FirstToken first_token = FirstToken::kDecode;
  KvTransfer kv_transfer = KvTransfer::kEnd;
  bool prefix_cache = true;  ///< instances keep the KV of prompts
  RouterKind router = RouterKind::kRoundRobin;
  double overlap_weight = 1;       ///< of RouterKind::kKvAware
  std::vector<std::string> pools;  ///< names
  std::vector<InstancePlan> instances;

  /// Returns the instances that requests come to, and those that only decode (none if all are
  /// mixed), by number.
  std::vector<std::uint32_t> Entries() const;
  std::vector<std::uint32_t> Decoders() const;
  /// Whether requests come to a router, which is at the first GPU of instance kRouterInstance, and
  /// tells instances by messages; else every instance knows which are its own.
  bool has_router() const { return router != RouterKind::kRoundRobin; }
  static constexpr std::uint32_t kRouterInstance = 0;
  /// Returns what a router knows; has_router().
  RouterGround GroundOfRouter() const;
  /// Returns the shares of a prompt's KV between two instances.
  std::vector<KvShare> SharesOf(std::uint32_t prefill, std::uint32_t decoder) const;
  /// Returns the bytes of a share of a prompt's KV, whole blocks.
  std::int64_t ShareBytes(const KvShare& share, std::int64_t tokens) const;
  /// Messages in which a step's layers leave (KvTransfer::kLayer): evenly, at most 16.
  std::uint32_t LayerParts() const;
  /// Returns the units in which a prompt's KV leaves: its tokens, or tokens x layer parts.
  std::uint32_t KvUnits(std::uint32_t tokens) const;
  /// Units of a prompt's KV that leave, of a prompt whose first tokens are at the destination.
  struct KvRange {
    std::uint32_t tokens = 0;          ///< of the prompt
    std::uint32_t there = 0;           ///< of them, at the destination: whole blocks of KV memory
    std::uint32_t begin = 0, end = 0;  ///< units of KvUnits(tokens), from KvUnits(there) on
  };
  /// Returns the bytes of a share that these units have. Those of all units together are what
  /// ShareBytes() says of `tokens`, less what it says of `there`.
  std::int64_t UnitBytes(const KvShare& share, const KvRange& range) const;
};

}  // namespace heddle
