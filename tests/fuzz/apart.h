// SPDX-License-Identifier: GPL-2.0-only
/// Runs a trial in a child process with a limit on its processor time, so that a crash or an
/// endless run costs one seed only.
#pragma once

#include <functional>
#include <string>

namespace heddle {

enum Verdict : int { kGood = 0, kRefused = 10, kBroken = 11 };

/// Returns the result of `attempt` in the child; for a signal, its number + 100. `quiet` hides the
/// child's output.
int RunApart(const std::function<Verdict()>& attempt, bool quiet);
bool IsBroken(int verdict);
std::string Words(int verdict);

}  // namespace heddle
