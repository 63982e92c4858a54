// SPDX-License-Identifier: GPL-2.0-only
/// A try in a child process with a limit on its processor time: a crash or a run without end costs
/// one seed.
#ifndef HEDDLE_TESTS_FUZZ_APART_H_
#define HEDDLE_TESTS_FUZZ_APART_H_

#include <functional>
#include <string>

namespace heddle {

enum Verdict : int { kGood = 0, kRefused = 10, kBroken = 11 };

/// What `attempt` returned in the child; a signal counts as its number + 100. `quiet` hides what it
/// prints.
int RunApart(const std::function<Verdict()>& attempt, bool quiet);
bool IsBroken(int verdict);
std::string Words(int verdict);

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_APART_H_
