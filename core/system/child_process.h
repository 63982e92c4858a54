// SPDX-License-Identifier: GPL-2.0-only
/// Programs that this process starts, and that end with it, however it ends: also by SIGKILL, which
/// no handler sees. Two means, as each has a gap:
///
/// - A parent-death signal: the kernel (Linux) sends a child a signal when its parent ends.
///   It reaches the child alone: not what the child has started in its turn, and no program that
///   gains privileges. Other systems have no such signal.
/// - A pipe is the child's standard input. This process holds the other end and writes nothing but
///   kPipeToken. When this process ends, the child reads the end of the file
///   (core/system/parent_watch.h). Launchers hand on their standard input: mpirun to its first
///   rank, whose end ends the others, srun to all. On systems other than Linux it is the only
///   means, and programs that do not watch it stay.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace heddle {

/// Environment variable that asks a child to watch its standard input; its value is kWatchInput.
constexpr const char* kWatchVariable = "HEDDLE_PARENT_PIPE";
constexpr const char* kWatchInput = "stdin";
/// The only byte that comes through the pipe. A standard input without it is no such pipe.
constexpr char kPipeToken = 'h';

struct ChildPlan {
  std::vector<std::string> words;  ///< program, found by PATH, and its arguments
  int output = -1;                 ///< file of its standard output and error; -1: this process's
  sigset_t mask = {};              ///< signals that it blocks
  /// What it gets when this process ends. SIGTERM for launchers, which then end their ranks.
  int parent_death_signal = SIGKILL;
};

/// A started program. The destructor closes the pipe, so a child that watches it ends; it does not
/// wait.
class ChildProcess {
 public:
  /// Starts it. To be called by the main thread: the parent-death signal follows the thread. Throws
  /// FileError if there can be no process. One that cannot become the program says why on its
  /// standard error and ends with exit code 127.
  explicit ChildProcess(const ChildPlan& plan);
  /// Closes this process's end of the pipe; does not wait for the child.
  ~ChildProcess();
  /// Takes over the pipe; `other` then has no child.
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  /// Returns the child's process number; -1 after a move.
  pid_t id() const { return id_; }

 private:
  pid_t id_ = -1;
  int pipe_ = -1;  ///< this process's end
};

/// Asks, in a child right after fork, for `signal` when `parent`, the process that forked, ends,
/// and sends it at once if that has happened already. Returns 0, or why there will be no signal
/// (errno; ENOSYS on systems without). Safe after fork.
int RequestParentDeathSignal(int signal, pid_t parent);

}  // namespace heddle
