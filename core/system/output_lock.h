// SPDX-License-Identifier: GPL-2.0-only
/// Keeps two processes from writing the same output at the same time.
///
/// The lock is a file beside the output, OUTPUT.part.lock. It names its holder (host, process), and
/// the holder keeps it locked with flock(2), so the kernel releases it when the holder dies: the
/// file that a killed process leaves is taken over. NFS passes the lock on to the server; where
/// flock is local to a machine, processes on different machines do not notice each other. On a file
/// system without flock the holder's text decides (HolderState).
#pragma once

#include <string>

namespace heddle {

/// Returns OUTPUT.part.lock, the path of the lock.
std::string LockPath(const std::string& output);

/// What the text of a lock file says about its holder, for file systems without flock.
enum class HolderState {
  kNone,     ///< no holder is named
  kAlive,    ///< a process of this machine that runs
  kDead,     ///< a process of this machine that has ended; another one may have its number now
  kUnknown,  ///< a process of another machine
};
/// Returns whether the holder named in the text runs. A process is known by its number and start
/// time.
HolderState StateOfHolder(const std::string& text);
/// Returns the text that names this process as the holder.
std::string OwnHolderText();

/// Holds the lock on one output, or none.
class OutputLock final {
 public:
  OutputLock() = default;
  /// Throws FileError (exit code 6) that names host and process if the lock is held, and for a file
  /// that cannot be made. `force` matters on a file system without flock only: it takes over the
  /// lock of a process of another machine.
  OutputLock(const std::string& output, bool force);
  /// Deletes the file and releases the lock.
  ~OutputLock();
  /// Takes over the lock; `other` then holds none.
  OutputLock(OutputLock&& other) noexcept;
  /// Exchanges the locks, so that `other` releases the old one.
  OutputLock& operator=(OutputLock&& other) noexcept;

 private:
  /// Whether the path still names the open file: another process may have deleted it.
  bool IsNamed() const;

  std::string path_;
  int file_ = -1;
};

}  // namespace heddle
