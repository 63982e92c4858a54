// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/load_curve.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace heddle {

bool LoadCurve::Append(std::int64_t after, std::uint32_t bytes) {
  constexpr std::int64_t kLongestWait = std::numeric_limits<std::uint32_t>::max();
  HEDDLE_EXPECT(after >= last_);
  while (after - last_ > kLongestWait) Push({static_cast<std::uint32_t>(kLongestWait), 0});
  return Push({static_cast<std::uint32_t>(after - last_), bytes});
}

bool LoadCurve::Push(Step step) {
  if (!spans_.empty()) {
    Span& span = spans_.back();
    if (span.taken > span.kept && steps_[span.first + span.taken % span.kept] == step) {
      ++span.taken;
      last_ += step.wait;
      total_ += step.bytes;
      return false;
    }
  }
  if (spans_.empty() || spans_.back().taken > spans_.back().kept || spans_.back().kept == kPlain)
    Open(steps_.size());
  steps_.push_back(step);
  Take(step);
  return Watch(step);
}

void LoadCurve::Open(std::size_t first) { spans_.push_back({last_, total_, 0, 0, first, 0, 0}); }

void LoadCurve::Take(Step step) {
  Span& span = spans_.back();
  ++span.kept;
  ++span.taken;
  span.cycle_time += step.wait;
  span.cycle_bytes += step.bytes;
  last_ += step.wait;
  total_ += step.bytes;
}

bool LoadCurve::Watch(Step step) {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  ++plain_;
  hash_ = (hash_ << 8) + (((std::uint64_t{step.wait} << 32 | step.bytes) * kOdd) >> 8);
  if (places_.empty()) places_.resize(kPlaces, 0);
  const std::size_t number = steps_.size();
  std::uint32_t& place = places_[hash_ * kOdd >> 52];
  const bool goes_on = period_ > 0 && steps_[number - 1 - period_] == step;
  if (goes_on) {
    ++equal_;
  } else {
    const std::size_t period = number - place;
    const bool may_be =
        place > 0 && period < plain_ && period <= kMostPeriod && steps_[place - 1] == step;
    period_ = may_be ? period : 0;
    equal_ = may_be ? 1 : 0;
  }
  place = static_cast<std::uint32_t>(number);
  if (period_ == 0 || equal_ < std::max(kTimes * period_, kLeast)) return false;
  Fold();
  return true;
}

void LoadCurve::Repeat(std::int64_t times) {
  HEDDLE_EXPECT(repeats());
  Span& span = spans_.back();
  span.taken += static_cast<std::uint64_t>(times) * span.kept;  // wraps back if it is negative
  last_ += times * span.cycle_time;
  total_ += times * span.cycle_bytes;
}

void LoadCurve::Fold() {
  const std::size_t steps = period_ + equal_;
  const auto end = steps_.end() - static_cast<std::ptrdiff_t>(equal_);
  const std::vector<Step> cycle(end - static_cast<std::ptrdiff_t>(period_), end);
  const std::int64_t last = last_, total = total_;
  Cut(steps);
  Open(steps_.size());
  for (const Step& step : cycle) {
    steps_.push_back(step);
    Take(step);
  }
  spans_.back().taken = steps;
  last_ = last;
  total_ = total;
  std::fill(places_.begin(), places_.end(), 0);
  plain_ = period_ = equal_ = 0;
}

void LoadCurve::Cut(std::size_t count) {
  for (; count > 0; --count) {
    Span& span = spans_.back();
    const Step step = steps_.back();
    steps_.pop_back();
    --span.kept;
    --span.taken;
    span.cycle_time -= step.wait;
    span.cycle_bytes -= step.bytes;
    last_ -= step.wait;
    total_ -= step.bytes;
    if (span.kept == 0) spans_.pop_back();
  }
}

template <class Visit>
void LoadCurve::Walk(std::int64_t after, const Visit& visit) const {
  auto span = std::lower_bound(spans_.begin(), spans_.end(), after,
                               [](const Span& s, std::int64_t t) { return s.after < t; });
  if (span != spans_.begin()) --span;
  for (; span != spans_.end(); ++span) {
    // Whole cycles that end before `after`.
    std::uint64_t cycles = 0;
    if (span->taken > span->kept && after > span->after && span->cycle_time > 0) {
      const auto fits = static_cast<std::uint64_t>((after - span->after - 1) / span->cycle_time);
      cycles = std::min(fits, span->taken / span->kept);
    }
    std::int64_t time = span->after + static_cast<std::int64_t>(cycles) * span->cycle_time;
    std::int64_t bytes = span->bytes + static_cast<std::int64_t>(cycles) * span->cycle_bytes;
    for (std::uint64_t i = cycles * span->kept; i < span->taken; ++i) {
      const Step& step = steps_[span->first + i % span->kept];
      time += step.wait;
      if (!visit(time, bytes, step)) return;
      bytes += step.bytes;
    }
  }
}

std::int64_t LoadCurve::Before(std::int64_t after) const {
  std::int64_t before = total_;
  if (after > last_) return before;
  Walk(after, [&](std::int64_t time, std::int64_t bytes, const Step& /*step*/) {
    if (time < after) return true;
    before = bytes;
    return false;
  });
  return before;
}

std::int64_t LoadCurve::Next(std::int64_t after) const {
  std::int64_t next = -1;
  if (after > last_) return next;
  Walk(after, [&](std::int64_t time, std::int64_t /*bytes*/, const Step& step) {
    if (time < after || step.bytes == 0) return true;
    next = time;
    return false;
  });
  return next;
}

void LoadCurve::Close() {
  std::vector<std::uint32_t>().swap(places_);
  steps_.shrink_to_fit();
  spans_.shrink_to_fit();
}

}  // namespace heddle
