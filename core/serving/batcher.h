// SPDX-License-Identifier: GPL-2.0-only
/// Continuous batching: which sequences compute how many tokens in the next step of an instance.
///
/// Source: the rules of vLLM's V1 scheduler (docs/models/serving.md). In each step:
/// 1. Running sequences first, in the order in which they began to run. Each computes the tokens
///    that it has and whose KV is missing: one if it decodes, else what is left of its prompt, cut
///    to the budget that is left and to `longest_chunk`.
/// 2. Each takes blocks for its tokens. If too few are free, the last running sequence is
/// preempted:
///    its blocks are freed, its tokens are computed again later, and it waits at the head.
/// 3. If none was preempted, waiting sequences follow, first come, first served, until the budget,
///    the places or the blocks are used up.
/// A sequence whose KV comes from another instance takes a place and blocks first (Reserve), and
/// runs from the step after its arrival (Join).
///
/// With a prefix cache a sequence that begins to run holds the blocks of its prompt that are there,
/// and computes what is left: at least its last token. What it computes of its prompt can be found
/// from the end of the step on (vLLM: from its beginning on).
///
/// Omitted: priorities, encoders, speculative decoding.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/serving/memory/block_pool.h"
#include "core/serving/memory/prefix_cache.h"
#include "core/serving/model/serving_request.h"
#include "core/serving/model/step_cost.h"

namespace heddle {

struct BatchLimits {
  std::int64_t token_budget = 8192;  ///< tokens of a step, > 0
  std::int64_t most_running = 256;   ///< sequences with a place, > 0
  std::int64_t longest_chunk = 0;    ///< tokens of one prompt in a step; 0: the budget alone limits
  bool chunked = true;               ///< prompts may be cut; else each is computed in one step
};

/// A request in an instance.
struct Sequence {
  std::uint32_t request = 0;
  std::int64_t tokens = 0;     ///< of the prompt, and those that were generated
  std::int64_t computed = 0;   ///< of them, whose KV is in memory
  std::int64_t generated = 0;  ///< tokens of the answer that are known
  std::int64_t goal = 0;       ///< generated tokens at which it leaves the batch
  std::int64_t held = 0;       ///< blocks of its own
  std::int64_t now = 0;        ///< tokens that the step under way computes
  std::uint32_t shared = 0;    ///< blocks of its prompt that it holds in the prefix cache

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& request& tokens& computed& generated& goal& held& now& shared;
  }
};

class Batcher {
 public:
  /// `requests`: with a prefix cache, those that sequences are of; they must outlive it, and
  /// kPromptBlockTokens are whole blocks of the pool. Null: nothing is kept.
  Batcher(const BatchLimits& limits, const BlockPool& pool,
          const ServingRequests* requests = nullptr)
      : limits_(limits), pool_(pool), requests_(requests) {}

  static constexpr std::uint32_t kMostReserved = 0xffff;

  /// Lets a sequence wait behind all others.
  void Queue(const Sequence& sequence) { waiting_.push_back(sequence); }
  /// Takes a place and blocks for a sequence whose KV is to arrive: of the tokens that it has
  /// computed, and one more; Sequence::shared says which are here, at most kMostReserved. Returns
  /// false if there is no room, or a preempted one waits for room.
  bool Reserve(Sequence* sequence);
  /// Lets a sequence run that has its place and whose KV is there.
  void Join(Sequence sequence);

  /// Chooses the next step. Nothing is under way. An empty step has no tokens.
  StepWork Form();
  /// Ends the step under way: computed tokens count, and a sequence without missing KV has a new
  /// token. `listed`: gets each sequence with a new token, in the order of the batch; those that
  /// are at their goal have left, and keep their blocks until Free().
  void End(std::vector<Sequence>* listed);
  /// Gives back the blocks of a sequence that has left.
  void Free(Sequence* sequence);

  const BlockPool& pool() const { return pool_; }
  const PrefixCache& cache() const { return cache_; }
  /// Blocks of the pool that a block of a prompt takes; 0 without a prefix cache.
  std::int64_t prompt_block() const {
    return requests_ != nullptr ? kPromptBlockTokens / pool_.block_tokens() : 0;
  }
  /// Whether it could run a step now, if blocks are free.
  bool has_work() const { return !running_.empty() || !waiting_.empty(); }
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }
  /// Sequences that the last Form() preempted, by request.
  const std::vector<std::uint32_t>& preempted() const { return preempted_; }
  /// Sequences whose first tokens of this stay the last Form() chose, by request.
  const std::vector<std::uint32_t>& begun() const { return begun_; }
  /// Tokens of each of these that were found in the prefix cache.
  const std::vector<std::int64_t>& found() const { return found_; }
  /// Calls `visit` for each waiting and running sequence.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const Sequence& sequence : waiting_) visit(sequence);
    for (const Sequence& sequence : running_) visit(sequence);
  }
  /// Blocks of their own that waiting and running sequences hold, counted one by one.
  std::int64_t CountHeld() const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& pool_& cache_& waiting_& running_& reserved_& evicted_;
  }

 private:
  /// Chooses tokens of running sequences; returns the budget that is left.
  std::int64_t FormRunning(StepWork* work);
  /// Chooses tokens of waiting ones.
  void FormWaiting(std::int64_t budget, StepWork* work);
  /// Takes blocks for the tokens of running_[place], and preempts others from the end until they
  /// are free. Returns false if it was preempted itself.
  bool MakeRoom(std::size_t place, std::int64_t now);
  void Preempt();
  std::int64_t CutToChunk(std::int64_t tokens) const;
  const PrefixCache::Path& PathOf(const Sequence& sequence) const;
  /// Returns how many blocks of its prompt a sequence may take from the prefix cache now.
  std::uint32_t Match(const Sequence& sequence) const;
  /// Takes `shared` blocks of the prefix cache, and others for `tokens` in all. Returns false if
  /// too few are free; then nothing changes.
  bool Take(std::uint32_t shared, std::int64_t tokens, Sequence* sequence);
  /// Takes blocks for `tokens` in all, as Take().
  bool Grow(std::int64_t tokens, Sequence* sequence);
  /// Moves the computed blocks of its prompt into the prefix cache.
  void Keep(Sequence* sequence);
  /// Drops blocks of the prefix cache that the pool has no room for.
  void Shrink();

  BatchLimits limits_;
  BlockPool
      pool_;  ///< blocks of sequences and held blocks of the prefix cache; its others are free
  PrefixCache cache_;
  const ServingRequests* requests_;
  std::deque<Sequence> waiting_;
  std::vector<Sequence> running_;
  std::int64_t reserved_ = 0;  ///< places of sequences whose KV is to arrive
  std::int64_t evicted_ = 0;   ///< preempted sequences, at the head of waiting_
  std::vector<std::uint32_t> preempted_, begun_;
  std::vector<std::int64_t> found_;
};

}  // namespace heddle
