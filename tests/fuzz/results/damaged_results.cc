// SPDX-License-Identifier: GPL-2.0-only
/// Tests commands on results with damaged bytes: however libhdf5 reads them, each command must end
/// by itself, within its memory, with an error or a text.
///
/// Every trial is a process of its own. libhdf5 1.10.8 crashes on some files and reads others
/// endlessly. If the stack shows that libhdf5 is the cause, the trial is counted and does not fail
/// the test. Any other crash or endless run fails it, and so does an exception that is not an error
/// of heddle.
///
/// Usage: damaged_results COUNT SEED
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "core/base/check.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/results/result_commands.h"
#include "tests/fuzz/scratch.h"

namespace heddle {
namespace {

constexpr rlim_t kMostMemory = rlim_t{2} << 30;
constexpr int kInHdf5 = 12;  ///< exit code

/// Whether the innermost frame, other than those of this handler and the C library, is in libhdf5.
bool IsInHdf5() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 2; i < count; ++i) {
    Dl_info about;
    if (dladdr(frames[i], &about) == 0 || about.dli_fname == nullptr) continue;
    if (std::strstr(about.dli_fname, "/libc.so") != nullptr) continue;
    return std::strstr(about.dli_fname, "libhdf5") != nullptr;
  }
  return false;
}

extern "C" void EndBySignal(int number) {
  if (IsInHdf5()) _exit(kInHdf5);
  signal(number, SIG_DFL);
  raise(number);
}

void HeedSignals() {
  static char stack[256 << 10];
  const stack_t other = {stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = &EndBySignal;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGXCPU})
    sigaction(number, &action, nullptr);
}

Verdict Try(const ResultCommand& command, const std::string& path) {
  HeedSignals();
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit limit{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_AS, &limit);
#endif
  try {
    command(path);
    return kGood;
  } catch (const Error& error) {
    return error.code() == ExitCode::kBadInput || error.code() == ExitCode::kInputOutput ? kRefused
                                                                                         : kBroken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

std::string WordsOf(int verdict) {
  if (verdict == kInHdf5) return "in which libhdf5 crashes or does not end";
  return verdict == kGood ? "accepted" : verdict == kRefused ? "refused" : Words(verdict);
}

int Damage(std::uint64_t count, std::uint64_t seed) {
  Mutator mutator(seed, {SoundResults()[0], SoundResults()[1]}, {});
  std::map<std::string, std::size_t> seen;
  std::size_t broken = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string bytes = mutator.Binary();
    PutBytes(InScratch("made.h5"), SoundResults()[0]);
    PutBytes(InScratch("fuzz.h5"), bytes);
    const std::size_t which = mutator.Below(ResultCommands().size());
    const int verdict = RunApart([&] { return Try(ResultCommands()[which], InScratch("fuzz.h5")); },
                                 /*quiet=*/false);
    ++seen[WordsOf(verdict)];
    if (verdict == kInHdf5 || !IsBroken(verdict)) continue;
    ++broken;
    PutBytes("find-damaged_results-" + std::to_string(i), bytes);
    std::fprintf(stderr, "try %llu, command %zu: %s\n", static_cast<unsigned long long>(i), which,
                 WordsOf(verdict).c_str());
  }
  for (const auto& [what, times] : seen) std::printf("%zu %s\n", times, what.c_str());
  return broken == 0 && seen["refused"] > count / 20 ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: damaged_results COUNT SEED\n");
    return 2;
  }
  return heddle::Damage(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
}
