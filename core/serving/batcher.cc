// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/batcher.h"

#include <algorithm>

namespace heddle {
namespace {

void AddToStep(Sequence* sequence, std::int64_t now, StepWork* work) {
  sequence->now = now;
  work->Add(sequence->computed, now);
  work->prefill = work->prefill || sequence->tokens - sequence->computed > 1;
}

}  // namespace

bool Batcher::Reserve(Sequence* sequence) {
  const auto places = static_cast<std::int64_t>(running_.size()) + reserved_;
  if (evicted_ > 0 || places >= limits_.most_running) return false;
  const std::uint32_t shared = std::min(Match(*sequence), kMostReserved);
  if (!Take(shared, sequence->computed + 1, sequence)) return false;
  ++reserved_;
  return true;
}

void Batcher::Join(Sequence sequence) {
  HEDDLE_INVARIANT(reserved_ > 0, "KV memory: a sequence without a place joined a batch");
  --reserved_;
  Keep(&sequence);
  running_.push_back(sequence);
}

const PrefixCache::Path& Batcher::PathOf(const Sequence& sequence) const {
  return (*requests_)[sequence.request].blocks;
}

std::uint32_t Batcher::Match(const Sequence& sequence) const {
  if (requests_ == nullptr) return 0;
  const std::int64_t most = (sequence.tokens - 1) / kPromptBlockTokens;
  return static_cast<std::uint32_t>(cache_.Match(PathOf(sequence), static_cast<std::size_t>(most)));
}

bool Batcher::Take(std::uint32_t shared, std::int64_t tokens, Sequence* sequence) {
  if (shared == 0) return Grow(tokens, sequence);
  const PrefixCache::Path& path = PathOf(*sequence);
  const std::int64_t woken =
      static_cast<std::int64_t>(cache_.CountIdle(path, shared)) * prompt_block();
  if (!pool_.Take(woken)) return false;
  if (!pool_.Grow(tokens - shared * kPromptBlockTokens, &sequence->held)) {
    pool_.Give(woken);
    return false;
  }
  cache_.Hold(path, shared);
  sequence->shared = shared;
  Shrink();
  return true;
}

bool Batcher::Grow(std::int64_t tokens, Sequence* sequence) {
  if (!pool_.Grow(tokens - sequence->shared * kPromptBlockTokens, &sequence->held)) return false;
  Shrink();
  return true;
}

void Batcher::Keep(Sequence* sequence) {
  if (requests_ == nullptr) return;
  const PrefixCache::Path& path = PathOf(*sequence);
  const auto computed = static_cast<std::size_t>(sequence->computed / kPromptBlockTokens);
  for (; sequence->shared < std::min(computed, path.size()); ++sequence->shared) {
    // If another one holds it, the memory of one of both is free now.
    if (cache_.Add(path[sequence->shared])) pool_.Give(prompt_block());
    sequence->held -= prompt_block();
  }
}

void Batcher::Free(Sequence* sequence) {
  pool_.Free(&sequence->held);
  if (sequence->shared == 0) return;
  const std::size_t idle = cache_.Release(PathOf(*sequence), sequence->shared);
  pool_.Give(static_cast<std::int64_t>(idle) * prompt_block());
  sequence->shared = 0;
}

void Batcher::Shrink() {
  if (requests_ != nullptr) cache_.Shrink(static_cast<std::size_t>(pool_.free() / prompt_block()));
}

StepWork Batcher::Form() {
  preempted_.clear();
  begun_.clear();
  found_.clear();
  StepWork work;
  const std::int64_t left = FormRunning(&work);
  if (preempted_.empty()) FormWaiting(left, &work);
  return work;
}

std::int64_t Batcher::CutToChunk(std::int64_t tokens) const {
  return limits_.longest_chunk > 0 ? std::min(tokens, limits_.longest_chunk) : tokens;
}

std::int64_t Batcher::FormRunning(StepWork* work) {
  std::int64_t budget = limits_.token_budget;
  for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
    const std::int64_t missing = running_[i].tokens - running_[i].computed;
    const std::int64_t now = std::min(CutToChunk(missing), budget);
    if (!MakeRoom(i, now)) break;
    AddToStep(&running_[i], now, work);
    budget -= now;
  }
  return budget;
}

bool Batcher::MakeRoom(std::size_t place, std::int64_t now) {
  while (!Grow(running_[place].computed + now, &running_[place])) {
    const bool itself = running_.size() == place + 1;
    Preempt();
    if (itself) return false;
  }
  return true;
}

void Batcher::Preempt() {
  Sequence victim = running_.back();
  running_.pop_back();
  Free(&victim);
  victim.computed = 0;
  preempted_.push_back(victim.request);
  waiting_.push_front(victim);
  ++evicted_;
}

void Batcher::FormWaiting(std::int64_t budget, StepWork* work) {
  while (budget > 0 && !waiting_.empty() &&
         static_cast<std::int64_t>(running_.size()) + reserved_ < limits_.most_running) {
    Sequence& next = waiting_.front();
    const std::uint32_t shared = Match(next);
    const std::int64_t found = shared * kPromptBlockTokens;
    const std::int64_t missing = next.tokens - found;
    if (!limits_.chunked && missing > budget) return;
    const std::int64_t now = std::min(CutToChunk(missing), budget);
    if (!Take(shared, found + now, &next)) return;
    next.computed = found;
    AddToStep(&next, now, work);
    begun_.push_back(next.request);
    found_.push_back(found);
    running_.push_back(next);
    waiting_.pop_front();
    evicted_ = std::max<std::int64_t>(evicted_ - 1, 0);
    budget -= now;
  }
}

void Batcher::End(std::vector<Sequence>* listed) {
  std::size_t kept = 0;
  for (Sequence& sequence : running_) {
    const bool ran = sequence.now > 0;
    sequence.computed += sequence.now;
    sequence.now = 0;
    if (ran) Keep(&sequence);
    if (ran && sequence.computed == sequence.tokens) {
      ++sequence.tokens;
      ++sequence.generated;
      listed->push_back(sequence);
      if (sequence.generated >= sequence.goal) continue;
    }
    running_[kept++] = sequence;
  }
  running_.resize(kept);
}

std::int64_t Batcher::CountHeld() const {
  std::int64_t sum = 0;
  for (const Sequence& sequence : waiting_) sum += sequence.held;
  for (const Sequence& sequence : running_) sum += sequence.held;
  return sum;
}

}  // namespace heddle
