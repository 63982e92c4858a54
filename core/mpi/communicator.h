// SPDX-License-Identifier: GPL-2.0-only
/// The ranks of the run, and their communication outside the windows. A serial communicator never
/// calls MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"

namespace heddle {

/// MPI_COMM_WORLD, or a serial stand-in. All calls are collective. Every MPI return value is
/// checked; an error aborts the program.
class Communicator {
 public:
  /// Returns a communicator of one rank, which never calls MPI.
  static Communicator Serial() { return Communicator(RankId(0), 1); }
  /// Returns the communicator with which ns-3's MpiInterface was enabled. Requires that it is
  /// enabled.
  static Communicator World();

  /// Returns this process's rank; 0 if serial.
  RankId rank() const { return rank_; }
  /// Returns the number of ranks, at least 1.
  std::uint32_t size() const { return size_; }
  /// Whether this is rank 0, which writes files and prints.
  bool is_root() const { return rank_.value == 0; }

  /// Returns the minimum over all ranks, on every rank.
  std::int64_t Min(std::int64_t value) const;
  /// Returns the maximum over all ranks, on every rank.
  std::int64_t Max(std::int64_t value) const;
  /// Returns the sum over all ranks, on every rank; unchecked for overflow.
  std::int64_t Sum(std::int64_t value) const;
  /// Replaces each value by its sum over all ranks. Every rank has as many values.
  void Sum(std::vector<std::int64_t>* values) const;
  /// Returns the maximum over all ranks, on every rank.
  double Max(double value) const;
  /// A sum over the ranks that share this rank's memory, and their number.
  struct NodeSum {
    std::int64_t value = 0;
    std::uint32_t ranks = 1;
  };
  /// Returns the sum over the ranks that MPI says share memory with this one. Blocks in MPI,
  /// unwatched.
  NodeSum SumOnNode(std::int64_t value) const;

  /// Returns the bytes of every rank at the root, in rank order; empty elsewhere. Any size: sent in
  /// pieces.
  std::vector<std::vector<char>> Gather(const std::vector<char>& bytes) const;
  /// Returns the root's text on every rank.
  std::string Broadcast(const std::string& text) const;
  /// Returns one value of every rank, on every rank.
  std::vector<double> AllGather(double value) const;

  /// Ends all processes at once with an exit code, because this one cannot continue. Does not
  /// return.
  [[noreturn]] static void Abort(ExitCode code);

 private:
  /// Keeps no handle of MPI's.
  Communicator(RankId rank, std::uint32_t size) : rank_(rank), size_(size) {}
  /// Whether no other rank is there: then MPI is not called.
  bool serial() const { return size_ == 1; }

  RankId rank_;
  std::uint32_t size_;
};

/// Returns "Open MPI v4.1.4": the MPI library's version string up to its first comma or line end.
/// May be called before MPI is started.
std::string MpiVersion();

/// An error that every rank throws at the same point: the root prints it, and all ranks end in
/// order. Any other exception is of one rank only, which must end the others by
/// Communicator::Abort.
class SharedError : public Error {
 public:
  using Error::Error;
};

/// Runs `work` on every rank. If it throws on any, every rank throws the error of the lowest such
/// rank as SharedError, so that all ranks end together, with one message.
template <class Work>
void AgreeOnErrors(const Communicator& world, Work&& work);

/// Throws on all ranks if `code` is not kDone on any rank; part of AgreeOnErrors.
void ThrowTogether(const Communicator& world, ExitCode code, const std::string& message);

/// Turns std::bad_alloc into kTooLittleMemory, and other exceptions into kInvariantViolated.
template <class Work>
void AgreeOnErrors(const Communicator& world, Work&& work) {
  ExitCode code = ExitCode::kDone;
  std::string message;
  try {
    work();
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = ExitCode::kTooLittleMemory;
    message = "out of memory";
  } catch (const std::exception& error) {  // of a library: a mistake of ours, but the other ranks
                                           // must not wait for this one
    code = ExitCode::kInvariantViolated;
    message = std::string("internal error: ") + error.what();
  }
  ThrowTogether(world, code, message);
}

}  // namespace heddle
