// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/limited_child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/base/check.h"
#include "core/system/child_process.h"
#include "core/system/process_memory.h"

namespace heddle {
namespace {

void Limit(int resource, rlim_t value) {
  rlimit limit;
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value) value = limit.rlim_max;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < value) value = limit.rlim_cur;
  limit.rlim_cur = value;
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

[[noreturn]] void BeChild(const ChildLimits& limits, pid_t parent,
                          const std::function<int()>& work) {
  RequestParentDeathSignal(SIGKILL, parent);
  // MPI and others install handlers that print or hang; a crash must end this process at once.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGXCPU})
    std::signal(number, SIG_DFL);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, limits.cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__)  // its shadow takes terabytes of addresses
  Limit(RLIMIT_AS, static_cast<rlim_t>(ReadProcessMemory().address_space) + limits.memory_bytes);
#endif
  const int code = work();
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace

ChildEnd RunInChild(const ChildLimits& limits, const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) BeChild(limits, parent, work);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    throw FileError(fmt::format("a child process cannot be waited for ({})", std::strerror(errno)));
  }
  if (child < 0)
    throw FileError(fmt::format("no child process can be made ({})", std::strerror(errno)));
  if (WIFEXITED(status)) return {WEXITSTATUS(status), ""};
  const int number = WTERMSIG(status);
  if (number == SIGXCPU)
    return {128 + number, fmt::format("did not end within {} s", limits.cpu_seconds)};
  return {128 + number, fmt::format("ended by signal {} ({})", number, strsignal(number))};
}

}  // namespace heddle
