// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/parent_watch.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "core/system/child_process.h"

namespace heddle {
namespace {

bool IsAsked() {
  const char* asked = std::getenv(kWatchVariable);
  if (asked == nullptr || std::strcmp(asked, kWatchInput) != 0) return false;
  // Ranks to which a launcher hands nothing on have /dev/null.
  struct stat input;
  return fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

/// Reads until the end of standard input. Returns whether the token was there.
bool ReadToEnd() {
  bool has_token = false;
  for (;;) {
    char read_bytes[64];
    const ssize_t count = read(STDIN_FILENO, read_bytes, sizeof(read_bytes));
    if (count > 0) {
      has_token = has_token || std::memchr(read_bytes, kPipeToken, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return has_token;
    } else if (errno != EINTR) {
      return false;
    }
  }
}

/// The thread's work.
void EndWithParent() {
  if (!ReadToEnd()) return;
  static constexpr char kText[] =
      "heddle: ends, because the process that started it has ended; the same command again goes "
      "on\n";
  // Whoever read it may be gone.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  kill(getpid(), SIGKILL);
}

}  // namespace

void WatchParent() {
  if (!IsAsked()) return;
  // Signals are for the other threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(EndWithParent).detach();
  } catch (const std::system_error& error) {
    std::fprintf(stderr,
                 "heddle: warning: no thread watches the process that started this one: %s\n",
                 error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace heddle
