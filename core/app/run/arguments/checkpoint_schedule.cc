// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/checkpoint_schedule.h"

#include <algorithm>

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/wall_time.h"

namespace heddle {
namespace {

constexpr const char* kPeriodic = "every:";

/// A simulated time above 0.
Time ParseSimulated(const std::string& text) {
  const Time time = ParseTimeFlag("--checkpoint-at", text);
  if (time.ps <= 0)
    throw UsageError("--checkpoint-at: found '" + Printable(text) +
                     "'. Expected: a time above 0, such as 5ms");
  return time;
}

bool IsPeriodic(const std::string& text) { return text.rfind(kPeriodic, 0) == 0; }

Time PeriodOf(const std::string& text) {
  return ParseSimulated(text.substr(std::string(kPeriodic).size()));
}

}  // namespace

void CheckCheckpointArguments(const CheckpointArguments& arguments) {
  CheckpointSchedule(arguments, 0);
}

CheckpointSchedule::CheckpointSchedule(const CheckpointArguments& arguments, double first_cost)
    : cost_(first_cost) {
  automatic_ = arguments.every == "auto";
  if (arguments.every == "never")
    every_ = 0;
  else if (!automatic_)
    every_ = ParseWallTime("--checkpoint-every", arguments.every);
  for (const std::string& text : arguments.at) {
    if (!IsPeriodic(text)) {
      at_.push_back(ParseSimulated(text));
    } else if (period_.ps == 0) {
      next_period_ = period_ = PeriodOf(text);
    } else {
      throw UsageError("--checkpoint-at: every: was given twice. Expected: once");
    }
  }
  std::sort(at_.begin(), at_.end());
  if (!arguments.max_wall.empty()) max_wall_ = ParseWallTime("--max-wall", arguments.max_wall);
}

bool CheckpointSchedule::OutOfTime(double seconds) const {
  // Reserves twice the time of the slowest checkpoint, because the state grows and disks vary; then
  // the time since the last look at the clock, and for MPI's end.
  return max_wall_ > 0 &&
         seconds + 2 * cost_ + longest_interval() + std::min(2.0, 0.1 * max_wall_) >= max_wall_;
}

CheckpointWish CheckpointSchedule::WishAt(double seconds, Time now) const {
  if (OutOfTime(seconds)) return CheckpointWish::kSaveAndEnd;
  const double wait = automatic_ ? std::max(every_, cost_ / kAutoShare) : every_;
  const bool due = (every_ > 0 && seconds - last_ >= wait) || now >= next_time();
  return due ? CheckpointWish::kSave : CheckpointWish::kNone;
}

CheckpointWish CheckpointSchedule::WishOf(SignalRequest signal) {
  switch (signal) {
    case SignalRequest::kNone:
      break;
    case SignalRequest::kCheckpoint:
      return CheckpointWish::kSave;
    case SignalRequest::kEnd:
      return CheckpointWish::kEnd;
    case SignalRequest::kCheckpointAndEnd:
      return CheckpointWish::kSaveAndEnd;
  }
  return CheckpointWish::kNone;
}

void CheckpointSchedule::Saved(double seconds, double cost, Time now) {
  last_ = seconds;
  cost_ = measured_ ? std::max(cost_, cost) : cost;
  measured_ = true;
  PassOver(now);
}

void CheckpointSchedule::PassOver(Time now) {
  at_.erase(at_.begin(), std::upper_bound(at_.begin(), at_.end(), now));
  if (period_.ps > 0) next_period_ = Time{(now.ps / period_.ps + 1) * period_.ps};
}

Time CheckpointSchedule::next_time() const {
  return std::min(next_period_, at_.empty() ? Time::Max() : at_.front());
}

double CheckpointSchedule::longest_interval() const {
  constexpr double kLongest = 10, kShareOfLimit = 0.02;
  return max_wall_ > 0 ? std::min(kLongest, kShareOfLimit * max_wall_) : kLongest;
}

}  // namespace heddle
