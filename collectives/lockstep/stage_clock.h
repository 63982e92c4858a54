// SPDX-License-Identifier: GPL-2.0-only
/// The program of one rank of a pipeline stage, whose collectives end their price after they begin.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "collectives/lockstep/lockstep_stage.h"
#include "collectives/lockstep/stage_prices.h"

namespace heddle {

/// When messages between stages arrive, by the operation's number; none: not sent yet.
using Arrivals = std::map<std::uint32_t, Time>;

class StageClock {
 public:
  /// `arrivals`: those of all stages. All must outlive it.
  StageClock(const Job& job, std::uint32_t stage, StagePrices* prices, Arrivals* arrivals);

  /// Does steps until one needs a message that has not been sent. Returns whether it did any.
  bool Advance();
  bool ended() const { return ended_; }                    ///< past its last step
  const LockstepStage& record() const { return record_; }  ///< of what it did so far

 private:
  enum class Part : std::uint8_t { kNone, kMember, kSender, kReceiver };

  /// Returns what the stage does in an operation of the program.
  Part PartIn(std::uint32_t op) const;
  /// Does one step; false: it needs a message.
  bool Do(const ProgramStep& step);
  /// Begins an operation, of this number, now or when its communicator is free.
  void Issue(std::uint32_t number);
  /// Waits for the end of an operation, if it was begun and not waited for. False: unknown.
  bool WaitFor(std::uint32_t number);
  /// Waits for everything that was begun, in the order of the ends.
  void End();
  /// Sets the clock to `at`, unless it is past that, and counts the difference.
  void GoOn(std::uint32_t number, Time at);

  std::uint32_t ops() const { return static_cast<std::uint32_t>(job_.program.ops.size()); }
  const ProgramOp& Op(std::uint32_t number) const { return job_.program.ops[number % ops()]; }

  const Job& job_;
  const std::uint32_t stage_;
  StagePrices* prices_;
  Arrivals* arrivals_;
  std::uint32_t pass_ = 0, step_ = 0;
  Time now_, sent_until_;
  bool ended_ = false;
  std::array<Time, kGroupTypes> free_at_ = {};  ///< by communicator
  std::map<std::uint32_t, Time> open_;          ///< ends of operations; Max: not known yet
  std::map<std::uint32_t, Time> received_;      ///< when receives that are open were begun
  LockstepStage record_;
};

}  // namespace heddle
