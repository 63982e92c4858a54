// SPDX-License-Identifier: GPL-2.0-only
/// What the runner of a GPU's collectives reports to the GPU's program, and what a program is to
/// its GPU: a list of steps, a graph, or whatever else decides when an operation is issued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace heddle {

class StateReader;
class StateWriter;

/// The two calls come once for each operation that the program issued (CollectiveRunner::Issue), in
/// this order, perhaps within that call. Between them the operation's communicator begins the next
/// one that waits for it; that one may end at once, so calls for later operations may come between.
/// What a program does may depend on the times in the calls, never on their order.
class OperationReports {
 public:
  /// Notes that `operation`, issued at `issued`, ended on this GPU at `at`. Nothing may be issued
  /// within this call.
  virtual void Ended(std::uint32_t operation, Time issued, Time at) = 0;
  /// Lets what waits for the end of `operation`, at `at`, go on and issue operations.
  virtual void MayGoOn(std::uint32_t operation, Time at) = 0;

 protected:
  ~OperationReports() = default;
};

/// The clock of one GPU's program. It adds what it recorded to the ExecutionContext.
class ProgramClock : public OperationReports {
 public:
  /// Asks for a call of Woken() at this time of the domain's clock.
  using WakeCall = std::function<void(Time)>;

  virtual ~ProgramClock() = default;
  /// Starts the program at the job's start; operations may be issued.
  virtual void Begin() = 0;
  /// Runs what is due; the domain's clock is at `now`, which was asked for. Programs that never ask
  /// need not have it.
  virtual void Woken(Time /*now*/) {}
  /// Returns the calls of Woken() that were asked for and have not come, ascending.
  virtual std::vector<Time> wakes() const { return {}; }
  /// Whether the program has ended; it is then among the context's finishes.
  virtual bool finished() const = 0;
  /// Describes what the program waits for; empty: for what CollectiveRunner::Waiting() describes.
  virtual std::string Waiting() const { return ""; }
  /// Returns the memory in bytes, itself included.
  virtual std::size_t memory() const = 0;

  /// Writes the position in the program for a checkpoint. The queues of communicators follow.
  virtual void SavePosition(StateWriter* to) const = 0;
  /// Replaces the position by a saved one, after Begin(). Throws UserError for what no run of this
  /// program can have saved, as LoadSums() does.
  virtual void LoadPosition(StateReader* from) = 0;
  /// Writes what follows the queues: what the program adds up.
  virtual void SaveSums(StateWriter* /*to*/) const {}
  /// Replaces the sums by saved ones. A program that had ended is then among the finishes.
  virtual void LoadSums(StateReader* /*from*/) {}
};

}  // namespace heddle
