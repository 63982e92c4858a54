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
  /// One rank, no MPI.
  static Communicator Serial() { return Communicator(RankId(0), 1); }
  /// The communicator with which ns-3's MpiInterface was enabled. Requires that it is enabled.
  static Communicator World();

  RankId rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  bool is_root() const { return rank_.value == 0; }

  std::int64_t Min(std::int64_t value) const;
  std::int64_t Max(std::int64_t value) const;
  std::int64_t Sum(std::int64_t value) const;
  void Sum(std::vector<std::int64_t>* values) const;
  double Max(double value) const;
  /// A sum over the ranks that share this rank's memory, and their number.
  struct NodeSum {
    std::int64_t value = 0;
    std::uint32_t ranks = 1;
  };
  NodeSum SumOnNode(std::int64_t value) const;

  /// The bytes of every rank at the root, in rank order; empty elsewhere. Any size: sent in pieces.
  std::vector<std::vector<char>> Gather(const std::vector<char>& bytes) const;
  /// The root's text on every rank.
  std::string Broadcast(const std::string& text) const;
  /// One value of every rank, on every rank.
  std::vector<double> AllGather(double value) const;

  /// Ends all processes at once with an exit code, because this one cannot continue. Does not
  /// return.
  [[noreturn]] static void Abort(ExitCode code);

 private:
  Communicator(RankId rank, std::uint32_t size) : rank_(rank), size_(size) {}
  bool serial() const { return size_ == 1; }

  RankId rank_;
  std::uint32_t size_;
};

/// "Open MPI v4.1.4": the MPI library's version string up to its first comma or line end. May be
/// called before MPI is started.
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

/// Part of AgreeOnErrors: throws on all ranks if `code` is not kDone on any rank.
void ThrowTogether(const Communicator& world, ExitCode code, const std::string& message);

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
