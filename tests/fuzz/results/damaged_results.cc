// SPDX-License-Identifier: GPL-2.0-only
/// Tests commands on damaged results, totals and row logs: each command must end by itself, within
/// its memory, with an error. A result or totals with other bytes than heddle wrote must never be
/// accepted; of a row log, heddle recover takes what is whole.
///
/// Every trial is a process of its own, so that a crash or an endless run costs one trial only.
///
/// Usage: damaged_results COUNT SEED [sealed]
///   sealed: the damage is behind a correct checksum, as of a file made to harm. What libhdf5 does
///   with it is counted and printed, and fails nothing: a seal is no signature.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "core/app/base/cli/commands.h"
#include "core/base/check.h"
#include "io/hdf5/file_seal.h"
#include "io/result/result_parts.h"
#include "io/row_log/rank_log.h"
#include "tests/fuzz/apart.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/results/result_commands.h"
#include "tests/fuzz/scratch.h"

namespace heddle {
namespace {

constexpr rlim_t kMostMemory = rlim_t{2} << 30;

Verdict Try(const std::function<void()>& command) {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit limit{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_AS, &limit);
#endif
  try {
    command();
    return kGood;
  } catch (const Error& error) {
    return error.code() == ExitCode::kBadInput || error.code() == ExitCode::kInputOutput ? kRefused
                                                                                         : kBroken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBroken;
  }
}

/// What a trial damages.
struct Target {
  const char* name;
  std::string sound;                            ///< bytes
  std::string path;                             ///< where a command reads them
  std::vector<std::function<void()>> commands;  ///< those that read this file
  bool must_refuse;                             ///< whether any other byte is an error
};

std::vector<Target> Targets() {
  const std::string result = InScratch("fuzz.h5"), lost = InScratch("lost.h5");
  std::vector<std::function<void()>> readers;
  for (const ResultCommand& command : ResultCommands())
    readers.push_back([&command, result] { command(result); });
  const auto recover = [lost] { RecoverResult(lost); };
  return {{"result of flows", SoundResults()[0], result, readers, true},
          {"result of a workload", SoundResults()[1], result, readers, true},
          {"totals", SoundResults()[kTotalsFile], TotalsPath(lost), {recover}, true},
          {"row log", SoundRowLog(), StreamPartPath(lost, 0), {recover}, false}};
}

/// The files that the trial does not damage.
void PutSound(const std::vector<Target>& targets) {
  PutBytes(InScratch("made.h5"), SoundResults()[0]);
  for (const Target& target : targets) PutBytes(target.path, target.sound);
}

std::string WordsOf(int verdict) {
  return verdict == kGood ? "accepted" : verdict == kRefused ? "refused" : Words(verdict);
}

void Reseal(const std::string& path, std::string bytes) {
  bytes.resize(bytes.size() - std::min(bytes.size(), kSealBytes));
  PutBytes(path, bytes);
  AppendSeal(path);
}

int Damage(std::uint64_t count, std::uint64_t seed, bool sealed) {
  const std::vector<Target> targets = Targets();
  std::map<std::string, std::size_t> seen;
  std::size_t broken = 0, refused = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Target& target = targets[i % (sealed ? 2 : targets.size())];
    Mutator mutator(seed + i, {target.sound}, {});
    const std::string bytes = mutator.Binary();
    PutSound(targets);
    PutBytes(target.path, bytes);
    if (sealed) Reseal(target.path, bytes);
    const std::size_t which = mutator.Below(target.commands.size());
    const int verdict = RunApart([&] { return Try(target.commands[which]); }, /*quiet=*/false);
    ++seen[std::string(target.name) + ": " + WordsOf(verdict)];
    refused += verdict == kRefused ? 1 : 0;
    const bool wrongly = verdict == kGood && target.must_refuse && bytes != target.sound;
    if (sealed || !(wrongly || IsBroken(verdict))) continue;
    ++broken;
    PutBytes("find-damaged_results-" + std::to_string(i), bytes);
    std::fprintf(stderr, "trial %llu (%s), command %zu: %s\n", static_cast<unsigned long long>(i),
                 target.name, which, WordsOf(verdict).c_str());
  }
  for (const auto& [what, times] : seen) std::printf("%zu %s\n", times, what.c_str());
  return broken == 0 && refused > count / 20 ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  const bool sealed = argc == 4 && std::strcmp(argv[3], "sealed") == 0;
  if (argc != 3 && !sealed) {
    std::fprintf(stderr, "usage: damaged_results COUNT SEED [sealed]\n");
    return 2;
  }
  return heddle::Damage(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
                        sealed);
}
