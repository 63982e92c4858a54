// SPDX-License-Identifier: GPL-2.0-only
/// Continues runs from damaged state with valid checksums: the state is rejected, or the run
/// continues to some end, or a violated invariant ends it. It never crashes. Undamaged state is
/// accepted. Each trial is a process of its own.
///
/// Usage: damaged_states COUNT SEED [-v]     (-v: prints each outcome)
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "core/base/check.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/states/half_run.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostWindows = 20'000;  ///< the undamaged runs have a few hundred

/// kBroken: the state was loaded, and later an invariant was violated.
Verdict Try(const HalfRun& run, const HalfRun::State& state) {
  bool taken = false;
  try {
    const HalfRun::Parts parts = run.Load(state);
    taken = true;
    HalfRun::GoOn(parts, Time::Max(), kMostWindows);
    return kGood;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", taken ? "taken" : "refused", error.what());
    return taken ? kBroken : kRefused;
  }
}

int Damage(std::uint64_t count, std::uint64_t first, bool quiet) {
  std::vector<std::vector<HalfRun::State>> sound;
  std::uint64_t failures = 0;
  for (const HalfRun& run : HalfRuns()) {
    sound.emplace_back();
    for (const int microseconds : {0, 7, 12}) {
      sound.back().push_back(run.RunUntil(MicroSeconds(microseconds)));
      if (RunApart([&] { return Try(run, sound.back().back()); }, false) == kGood) continue;
      std::fprintf(stderr, "run %zu does not go on from its own state of %d us\n", sound.size() - 1,
                   microseconds);
      ++failures;
    }
  }
  std::map<std::string, std::uint64_t> counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Mutator mutator(seed, {""}, {});
    const std::size_t which = mutator.Below(sound.size());
    HalfRun::State state = mutator.Pick(sound[which]);
    std::string& bytes = state.domains[mutator.Below(state.domains.size())];
    const bool forged = mutator.Chance(2);
    for (std::size_t i = 1 + mutator.Below(2); i > 0; --i)
      forged ? mutator.Forge(&bytes) : mutator.Disturb(&bytes);
    const int verdict = RunApart([&] { return Try(HalfRuns()[which], state); }, quiet);
    // A damaged flow of a terabyte is also slow.
    const bool slow = verdict == 100 + SIGXCPU || verdict == 100 + SIGKILL;
    ++counts[verdict == kGood ? "went on" : verdict == kRefused ? "refused" : Words(verdict)];
    if (verdict == kGood || verdict == kRefused || verdict == kBroken || slow) continue;
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed),
                 Words(verdict).c_str());
    ++failures;
  }
  for (const auto& [what, times] : counts)
    std::printf("%s: %llu\n", what.c_str(), static_cast<unsigned long long>(times));
  const bool both = counts["went on"] > 0 && counts["refused"] > 0;
  return failures == 0 && both ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: damaged_states COUNT SEED [-v]\n");
    return 2;
  }
  return heddle::Damage(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
                        argc == 3);
}
