// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/sweep_launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <utility>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/processes/own_program.h"
#include "core/app/launch/sweep/run_log.h"
#include "core/app/launch/sweep/run_watch.h"
#include "core/app/launch/sweep/shell_line.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/system/child_process.h"

namespace heddle {
namespace {

/// Blocks these signals while it lives, so that none is lost between two calls of Take().
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGCHLD}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Waits for the next signal, for a second at most. Returns 0 if none came.
  int Take() const {
    constexpr timespec kSecond = {1, 0};
    return std::max(0, sigtimedwait(&held_, nullptr, &kSecond));
  }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t held_, before_;
};

/// Opens a run's log, which is appended to, and begins its part of this attempt. Throws FileError.
int OpenLog(const SweepRun& run, const std::vector<std::string>& words) {
  CheckOutputs({{"log", LogOf(run)}}, InputsOf(run), /*force=*/true);
  const int log =
      open(LogOf(run).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (log < 0) throw FileError(LogOf(run) + ": cannot be opened: " + std::strerror(errno));
  const std::string line = AttemptLine(ShellLine(words));
  if (write(log, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return log;
  const int reason = errno;
  close(log);
  throw FileError(LogOf(run) + ": cannot be written: " + std::strerror(reason));
}

ChildProcess Start(const LaunchPlan& plan, const SweepRun& run, const sigset_t& mask) {
  WriteInputs(run, plan.force);
  ChildPlan child;
  child.words = CommandOf(plan, run);
  child.mask = mask;
  // A launcher that is killed leaves its ranks; one that is asked to end ends them first.
  if (child.words[0] != OwnPath()) child.parent_death_signal = SIGTERM;
  if (!plan.logs) return ChildProcess(child);
  child.output = OpenLog(run, child.words);
  try {
    ChildProcess started(child);
    close(child.output);
    return started;
  } catch (const Error&) {
    close(child.output);
    throw;
  }
}

int CodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// A line for a run that ended. `as`: name of an earlier run with the same reason; else empty.
void Tell(const LaunchPlan& plan, const SweepRun& run, int code, const std::string& as) {
  if (code == 0) {
    PrintBeside(run.name + ": done\n", plan.json);
  } else {
    const std::string where = plan.logs ? "; see " + LogOf(run) : "";
    PrintBeside(fmt::format("{}: ended with exit code {}{}{}\n", run.name, code,
                            as.empty() ? "" : ", as " + as, where),
                plan.json);
  }
}

struct RunningRun {
  ChildProcess process;
  std::size_t index = 0;  ///< into LaunchPlan::runs
  RunWatch watch;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

/// The running processes, and the outcomes of ended ones.
class LocalRuns {
 public:
  LocalRuns(const LaunchPlan& plan, std::map<std::string, std::string>* reasons)
      : plan_(plan), wanted_reasons_(reasons) {}

  int Run() {
    while (true) {
      while (!stopping_ && next_ < plan_.runs.size() && running_.size() < plan_.jobs) StartNext();
      if (running_.empty()) return End();
      const int signal = signals_.Take();
      if (signal == 0) {
        LookAtAll();
      } else if (signal == SIGCHLD) {
        ReapAll();
      } else {
        HandOn(signal);
      }
    }
  }

 private:
  /// If a run cannot be started, stops starting and reports the error after all running ones have
  /// ended.
  void StartNext() {
    try {
      const SweepRun& run = plan_.runs[next_];
      ChildProcess child = Start(plan_, run, signals_.before());
      const pid_t id = child.id();
      running_.emplace(id, RunningRun{std::move(child), next_, RunWatch(run.name, PlaceOf(next_))});
      ++next_;
    } catch (const Error&) {
      failure_ = std::current_exception();
      stopping_ = true;
    }
  }

  /// "run 3 of 12"
  std::string PlaceOf(std::size_t index) const {
    if (plan_.runs.size() == 1) return "";
    return fmt::format("run {} of {}", index + 1, plan_.runs.size());
  }

  /// Says what is new of the runs that go on.
  void LookAtAll() {
    if (!plan_.logs) return;
    for (auto& [child, run] : running_) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - run.begun;
      const RunLog log = ReadRunLog(LogOf(plan_.runs[run.index]));
      for (const std::string& line : run.watch.Look(log, elapsed.count()))
        std::fprintf(stderr, "heddle: %s\n", PrintableLines(line).c_str());
      if (advised_ || plan_.faster.empty() || ExpectedSeconds(log.expected) < kVeryLongRun)
        continue;
      std::fprintf(stderr, "heddle: note: what takes less time: %s\n", plan_.faster.c_str());
      advised_ = true;
    }
  }

  int End() const {
    for (const std::string& line : warnings_.Lines(ended_)) PrintWarning(line);
    if (failure_) std::rethrow_exception(failure_);
    return code_;
  }

  /// Handles all processes that ended: one SIGCHLD may stand for several.
  void ReapAll() {
    int status = 0;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = running_.find(child);
      if (found == running_.end()) continue;
      const int code = CodeOf(status);
      Describe(plan_.runs[found->second.index], code);
      if (code_ == 0) code_ = code;
      running_.erase(found);
    }
  }

  /// Says how a run ended, and why if no run before had the same reason; keeps its warnings.
  void Describe(const SweepRun& run, int code) {
    ++ended_;
    if (!plan_.logs) return Tell(plan_, run, code, "");
    const RunLog log = ReadRunLog(LogOf(run));
    warnings_.Add(log.warnings);
    const std::string& reason = log.reason.empty() ? log.last_line : log.reason;
    if (code == 0 || reason.empty()) return Tell(plan_, run, code, "");
    if (wanted_reasons_ != nullptr) {
      (*wanted_reasons_)[run.name] = reason;
      return Tell(plan_, run, code, "");
    }
    const auto [first, is_new] = reasons_.emplace(reason, run.name);
    Tell(plan_, run, code, is_new ? "" : first->second);
    if (is_new) PrintBeside("  " + reason + "\n", plan_.json);
  }

  void HandOn(int signal) {
    if (signal != SIGUSR1) stopping_ = true;
    if (signal == SIGINT)
      return;  // the terminal sends SIGINT to all processes, and a second one would abort the runs
    for (const auto& [child, run] : running_) kill(child, signal);
  }

  const HeldSignals signals_;
  const LaunchPlan& plan_;
  std::map<std::string, std::string>* wanted_reasons_;  // null: they are printed
  std::map<pid_t, RunningRun> running_;                 // by process
  std::map<std::string, std::string> reasons_;          // name of the first run that failed so
  WarningCount warnings_;
  std::size_t next_ = 0, ended_ = 0;
  bool stopping_ = false, advised_ = false;
  std::exception_ptr failure_;
  int code_ = 0;
};

}  // namespace

std::vector<std::string> CommandOf(const LaunchPlan& plan, const SweepRun& run) {
  std::vector<std::string> words = plan.launcher;
  if (words.empty() && plan.ranks > 1) words = {"mpirun"};
  if (!words.empty()) words.insert(words.end(), {"-n", std::to_string(plan.ranks)});
  words.insert(words.end(), {OwnPath(), "run"});
  words.insert(words.end(), run.words.begin(), run.words.end());
  return words;
}

std::string LogOf(const SweepRun& run) {
  return std::filesystem::path(run.result).replace_extension(".log").string();
}

int LaunchLocal(const LaunchPlan& plan, std::map<std::string, std::string>* reasons) {
  return LocalRuns(plan, reasons).Run();
}

std::string ArrayText(const std::vector<std::size_t>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t last = i;
    while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", rows[i]);
    if (last > i) text += fmt::format("-{}", rows[last]);
    i = last + 1;
  }
  return text;
}

std::string FindSweepScript() {
  const std::filesystem::path folder = std::filesystem::path(OwnPath()).parent_path();
  for (const char* place : {"../share/heddle/slurm", "slurm"}) {
    const std::filesystem::path script = (folder / place / "sweep.sbatch").lexically_normal();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(script, ignored)) return script.string();
  }
  throw FileError("sweep.sbatch is not where heddle is installed. Expected: --script FILE");
}

}  // namespace heddle
