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
  if (!pool_.Grow(sequence->computed + 1, &sequence->held)) return false;
  ++reserved_;
  return true;
}

void Batcher::Join(const Sequence& sequence) {
  HEDDLE_INVARIANT(reserved_ > 0, "KV memory: a sequence without a place joined a batch");
  --reserved_;
  running_.push_back(sequence);
}

StepWork Batcher::Form() {
  preempted_.clear();
  begun_.clear();
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
  while (!pool_.Grow(running_[place].computed + now, &running_[place].held)) {
    const bool itself = running_.size() == place + 1;
    Preempt();
    if (itself) return false;
  }
  return true;
}

void Batcher::Preempt() {
  Sequence victim = running_.back();
  running_.pop_back();
  pool_.Free(&victim.held);
  victim.computed = 0;
  preempted_.push_back(victim.request);
  waiting_.push_front(victim);
  ++evicted_;
}

void Batcher::FormWaiting(std::int64_t budget, StepWork* work) {
  while (budget > 0 && !waiting_.empty() &&
         static_cast<std::int64_t>(running_.size()) + reserved_ < limits_.most_running) {
    Sequence& next = waiting_.front();
    const std::int64_t missing = next.tokens - next.computed;
    if (!limits_.chunked && missing > budget) return;
    const std::int64_t now = std::min(CutToChunk(missing), budget);
    if (!pool_.Grow(next.computed + now, &next.held)) return;
    AddToStep(&next, now, work);
    begun_.push_back(next.request);
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
