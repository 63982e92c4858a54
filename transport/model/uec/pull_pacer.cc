// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/pull_pacer.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "transport/model/uec/receiver_credit.h"

namespace heddle {
namespace {

/// Quanta for which a pull without credit counts.
constexpr std::int64_t kEmptyPull = 1024 / kCreditQuantum;

}  // namespace

PullRules::PullRules(const UecOptions& options, const UecScale& scale)
    : pull(options.pull / kCreditQuantum),
      ahead(options.slow_pulls ? scale.max_window / kCreditQuantum : 0),
      quantum_ps(static_cast<double>(kCreditQuantum) * 8e12 /
                 (static_cast<double>(scale.rate.bps) * options.pull_rate)),
      idle_places(static_cast<std::uint32_t>(
          std::min<std::int64_t>((ahead + pull - 1) / pull, std::int64_t{1} << 30))) {}

std::uint32_t PullPacer::Add() {
  ++open_;
  if (free_.empty()) {
    sinks_.emplace_back();
    return static_cast<std::uint32_t>(sinks_.size() - 1);
  }
  const std::uint32_t sink = free_.back();
  free_.pop_back();
  sinks_[sink] = Sink{};
  return sink;
}

void PullPacer::Complete(std::uint32_t sink) {
  HEDDLE_EXPECT(Has(sink));
  sinks_[sink].life = Life::kComplete;
  FreeIfGone(sink);
  if (--open_ > 0) return;
  // No open flow is left, so the complete ones need no places either.
  active_ = {};
  idle_ = {};
  for (std::uint32_t i = 0; i < sinks_.size(); ++i) {
    sinks_[i].active = 0;
    sinks_[i].idle_places = 0;
    FreeIfGone(i);
  }
}

void PullPacer::SetTarget(std::uint32_t sink, std::int64_t target) {
  HEDDLE_EXPECT(Has(sink));
  if (target <= sinks_[sink].target) return;
  sinks_[sink].target = target;
  Request(sink);
}

void PullPacer::Request(std::uint32_t sink) {
  HEDDLE_EXPECT(Has(sink));
  if (sinks_[sink].active != 0) return;
  sinks_[sink].active = 1;
  active_.Push(sink);
}

PullPacer::Pull PullPacer::Take(Time now, const PullRules& rules, double rate) {
  HEDDLE_EXPECT(waiting() && now >= next_ && rate > 0);
  const bool slow = active_.empty();
  const std::uint32_t sink = slow ? idle_.Pop() : active_.Pop();
  Sink& taken = sinks_[sink];
  const std::int64_t given = slow ? rules.pull : std::min(rules.pull, demand(sink));
  taken.pull += given;
  const Pull pull{sink, taken.pull, slow};
  if (slow) {
    --taken.idle_places;
    if (taken.pull - taken.target < rules.ahead) Rest(sink, rules);
  } else if (demand(sink) > 0) {
    active_.Push(sink);
  } else {
    taken.active = 0;
    Rest(sink, rules);
  }
  FreeIfGone(sink);
  const auto quanta = static_cast<double>(given > 0 ? given : kEmptyPull);
  next_ = now + Time{static_cast<std::int64_t>(std::ceil(quanta * rules.quantum_ps / rate))};
  return pull;
}

std::int64_t PullPacer::demand(std::uint32_t sink) const {
  return std::max<std::int64_t>(0, sinks_[sink].target - sinks_[sink].pull);
}

std::size_t PullPacer::memory() const {
  return MemoryOf(sinks_) + MemoryOf(free_) + active_.memory() + idle_.memory();
}

/// Puts a sink at the end of the idle row, unless it has all its places there.
void PullPacer::Rest(std::uint32_t sink, const PullRules& rules) {
  if (sinks_[sink].idle_places >= rules.idle_places) return;
  ++sinks_[sink].idle_places;
  idle_.Push(sink);
}

/// Frees a sink whose flow is complete and that is in no row.
void PullPacer::FreeIfGone(std::uint32_t sink) {
  Sink& left = sinks_[sink];
  if (left.life != Life::kComplete || left.active != 0 || left.idle_places > 0) return;
  left.life = Life::kFree;
  free_.push_back(sink);
}

void PullPacer::CheckLoaded() {
  bool sound = next_ >= Time{0} && next_.ps < Time::Max().ps / 2;
  std::vector<std::uint32_t> active(sinks_.size()), idle(sinks_.size());
  const auto count = [&](const RingQueue<std::uint32_t>& row, std::vector<std::uint32_t>* places) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      ExpectState(row[i] < sinks_.size(), "a place for nobody in a row of receivers of credit");
      ++(*places)[row[i]];
    }
  };
  count(active_, &active);
  count(idle_, &idle);
  std::size_t free = 0;
  open_ = 0;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const Sink& sink = sinks_[i];
    sound = sound && sink.life <= Life::kComplete && sink.active == active[i] && active[i] <= 1 &&
            sink.idle_places == idle[i] && sink.pull >= 0 && sink.pull <= kMostQuanta &&
            sink.target >= 0 && sink.target <= kMostQuanta;
    const bool placed = active[i] + idle[i] > 0;
    sound = sound && (sink.life == Life::kOpen || placed == (sink.life == Life::kComplete));
    free += sink.life == Life::kFree ? 1 : 0;
    open_ += sink.life == Life::kOpen ? 1 : 0;
  }
  std::vector<bool> listed(sinks_.size());
  for (const std::uint32_t sink : free_) {
    sound = sound && sink < sinks_.size() && sinks_[sink].life == Life::kFree && !listed[sink];
    if (sound) listed[sink] = true;
  }
  ExpectState(sound && free == free_.size(), "receivers of credit that do not fit together");
  ExpectState(open_ > 0 || free == sinks_.size(), "credit for nobody");
}

}  // namespace heddle
