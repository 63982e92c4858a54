// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/base/check.h"

extern char** environ;

namespace heddle {
namespace {

constexpr int kCannotExecute = 127;  // exit code of shells for this error

/// Texts as execvp() wants them; they must outlive it.
std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// This process's environment, with the variable that asks for the watch.
std::vector<std::string> WatchingEnvironment() {
  const std::string name = std::string(kWatchVariable) + "=";
  std::vector<std::string> all = {name + kWatchInput};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, name.c_str(), name.size()) != 0) all.emplace_back(*entry);
  }
  return all;
}

struct Pipe {
  int from = -1, to = -1;
};

[[noreturn]] void FailStart(int reason) {
  throw FileError(std::string("a process cannot be started: ") + std::strerror(reason));
}

/// A pipe with the token in it. No end reaches programs that are started meanwhile, nor has a
/// number of a standard file, which may be closed here.
Pipe MakePipe() {
  int ends[2];
  if (pipe(ends) != 0) FailStart(errno);
  const Pipe made{fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
                  fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
  int reason = made.from < 0 || made.to < 0 ? errno : 0;
  for (const int end : ends) close(end);
  if (reason == 0 && write(made.to, &kPipeToken, 1) != 1) reason = errno;
  if (reason == 0) return made;
  for (const int end : {made.from, made.to}) {
    if (end >= 0) close(end);
  }
  FailStart(reason);
}

/// What the child needs, made before the fork.
struct Prepared {
  std::vector<char*> words, environment;
  int input, output;
  sigset_t mask;
  int death_signal;
  pid_t parent;
};

/// Runs in the child process: calls only functions that are safe after fork.
[[noreturn]] void Execute(const Prepared& child) {
  const int reason = RequestParentDeathSignal(child.death_signal, child.parent);
  sigprocmask(SIG_SETMASK, &child.mask, nullptr);
  dup2(child.input, STDIN_FILENO);
  if (child.output >= 0) {
    dup2(child.output, STDOUT_FILENO);
    dup2(child.output, STDERR_FILENO);
  }
  if (reason != 0) {
    dprintf(STDERR_FILENO,
            "heddle: warning: no signal when the process that starts this one ends: %s\n",
            std::strerror(reason));
  }
  environ = const_cast<char**>(child.environment.data());
  execvp(child.words[0], child.words.data());
  dprintf(STDERR_FILENO, "heddle: %s: cannot be started: %s\n", child.words[0],
          std::strerror(errno));
  _exit(kCannotExecute);
}

/// The kernel counts the thread that forks as the parent.
bool IsMainThread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return true;
#endif
}

}  // namespace

ChildProcess::ChildProcess(const ChildPlan& plan) {
  HEDDLE_INVARIANT(IsMainThread(),
                   "a child was started by a thread that may end before the process");
  const std::vector<std::string> environment = WatchingEnvironment();
  const Pipe line = MakePipe();
  const Prepared child{Pointers(plan.words),
                       Pointers(environment),
                       line.from,
                       plan.output,
                       plan.mask,
                       plan.parent_death_signal,
                       getpid()};
  std::fflush(stdout);
  id_ = fork();
  if (id_ == 0) Execute(child);
  const int reason = errno;
  close(line.from);
  pipe_ = line.to;
  if (id_ < 0) {
    close(pipe_);
    FailStart(reason);
  }
}

ChildProcess::~ChildProcess() {
  if (pipe_ >= 0) close(pipe_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

int RequestParentDeathSignal([[maybe_unused]] int signal, [[maybe_unused]] pid_t parent) {
#if defined(__linux__)
  if (prctl(PR_SET_PDEATHSIG, signal) != 0) return errno;
  // It may have ended between fork and prctl: then another process is the parent by now.
  if (getppid() != parent) {
    kill(getpid(), signal);
    _exit(128 + signal);
  }
  return 0;
#else
  return ENOSYS;
#endif
}

}  // namespace heddle
