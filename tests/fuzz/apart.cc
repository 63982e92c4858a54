// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/apart.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep allocations until the process ends; leak checks would report them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
constexpr unsigned kMostSeconds = 60;
#else
/// Processor time for a scenario [s]. Its three runs take milliseconds; half a minute where links
/// lose three packets in ten and everything is sent again.
constexpr unsigned kMostSeconds = 120;
#endif

namespace heddle {

int RunApart(const std::function<Verdict()>& attempt, bool quiet) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (quiet && std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    const rlimit limit{kMostSeconds, kMostSeconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    const int verdict = attempt();
    std::fflush(nullptr);
    _exit(verdict);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    throw std::runtime_error("no child process");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool IsBroken(int verdict) { return verdict != kGood && verdict != kRefused; }

std::string Words(int verdict) {
  if (verdict == 100 + SIGXCPU || verdict == 100 + SIGKILL)
    return fmt::format("does not end within {} s", kMostSeconds);
  if (verdict > 100) return fmt::format("signal {}", verdict - 100);
  return verdict == kBroken ? "broken promise" : fmt::format("exit code {}", verdict);
}

}  // namespace heddle
