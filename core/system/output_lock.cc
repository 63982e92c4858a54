// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/output_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr int kTries = 10;  ///< against holders that delete their file at the same moment

std::string Host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// When the process began [clock ticks since the machine's start]; empty if there is none. A number
/// of a process is used again, but not with the same start.
std::string StartOf(long process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) fields >> field;
  return field;
}

/// The three words of a holder's text.
struct Holder {
  std::string host, start;
  long process = 0;
};

Holder ParseHolder(const std::string& text) {
  Holder holder;
  std::istringstream words(text);
  std::string key, value;
  while (words >> key >> value) {
    if (key == "host") holder.host = value;
    if (key == "process") holder.process = std::strtol(value.c_str(), nullptr, 10);
    if (key == "start") holder.start = value;
  }
  return holder;
}

std::string ReadAll(int file) {
  std::array<char, 512> bytes{};
  const ssize_t count = pread(file, bytes.data(), bytes.size() - 1, 0);
  return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
}

[[noreturn]] void FailHeld(const std::string& output, const std::string& text, bool unsure) {
  const Holder holder = ParseHolder(text);
  const std::string who = holder.process > 0 ? "process " + std::to_string(holder.process) +
                                                   " on " + Printable(holder.host)
                                             : "another process";
  throw FileError(output + ": is being written by " + who + ". Expected: another name, or " +
                  (unsure ? "--force if that process has ended" : "the end of that process"));
}

[[noreturn]] void FailToMake(const std::string& output, const std::string& path) {
  throw FileError(output + ": its lock " + path + " cannot be made (" + std::strerror(errno) + ")");
}

/// A link under the name is deleted, not followed (core/system/new_file.h).
int OpenLockFile(const std::string& output, const std::string& path) {
  struct stat link {};
  if (lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) unlink(path.c_str());
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0) FailToMake(output, path);
  struct stat about {};
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode)) return file;
  close(file);
  errno = EEXIST;
  FailToMake(output, path);
}

/// Throws if another process holds the file's lock.
void Acquire(int file, const std::string& output, bool force) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    const std::string text = ReadAll(file);
    if (errno == EWOULDBLOCK) FailHeld(output, text, /*unsure=*/false);
    const HolderState state = StateOfHolder(text);  // no flock on this file system
    if (state == HolderState::kAlive) FailHeld(output, text, /*unsure=*/false);
    if (state == HolderState::kUnknown && !force) FailHeld(output, text, /*unsure=*/true);
    return;
  }
}

}  // namespace

std::string LockPath(const std::string& output) { return output + ".part.lock"; }

HolderState StateOfHolder(const std::string& text) {
  const Holder holder = ParseHolder(text);
  if (holder.process <= 0) return HolderState::kNone;
  if (holder.host != Host()) return HolderState::kUnknown;
  const bool runs = kill(static_cast<pid_t>(holder.process), 0) == 0 || errno == EPERM;
  return runs && StartOf(holder.process) == holder.start ? HolderState::kAlive : HolderState::kDead;
}

std::string OwnHolderText() {
  return "host " + Host() + "\nprocess " + std::to_string(getpid()) + "\nstart " +
         StartOf(getpid()) + "\n";
}

OutputLock::OutputLock(const std::string& output, bool force) : path_(LockPath(output)) {
  for (int i = 0; i < kTries; ++i) {
    file_ = OpenLockFile(output, path_);
    try {
      Acquire(file_, output, force);
    } catch (const FileError&) {
      close(file_);
      throw;
    }
    if (IsNamed()) {
      const std::string text = OwnHolderText();
      if (ftruncate(file_, 0) == 0 && pwrite(file_, text.data(), text.size(), 0) >= 0) return;
    }
    // The holder before has deleted the file meanwhile, or the disk is full.
    const int reason = errno;
    close(std::exchange(file_, -1));
    errno = reason;
  }
  FailToMake(output, path_);
}

/// Whether the open file is the one that has the name.
bool OutputLock::IsNamed() const {
  struct stat opened {
  }, named{};
  return fstat(file_, &opened) == 0 && lstat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  if (IsNamed()) unlink(path_.c_str());
  close(file_);
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

}  // namespace heddle
