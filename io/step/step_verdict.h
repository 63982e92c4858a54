// SPDX-License-Identifier: GPL-2.0-only
/// Why a step took as long as it did, or longer than another one, in one sentence that is computed
/// from critical paths.
#pragma once

#include <string>

#include "io/step/step_explanation.h"

namespace heddle {

/// "1200.0 us = 400.0 computing + 300.0 messages at line rate + 500.0 collisions (400.0 on leaf 5
/// -> spine 2)": causes that are at least a hundredth, with the link that has half of it, and the
/// rest.
std::string CriticalPathLine(const StepExplanation& study);

/// "700.0 us of 1200.0: 500.0 collisions (400.0 on leaf 5 -> spine 2) + 200.0 software latency":
/// what of the critical path is neither computing nor messages at the rate of their senders. A
/// fabric that adds nothing needs the rest at least: other paths may then be longer.
std::string BeyondIdealLine(const StepExplanation& study);

/// "B is 3.2 % slower than A (38.4 us): +40.0 us exposed DP, -1.6 us exposed TP. By cause: +45.0 us
/// collisions (40.1 on leaf 5 -> spine 2), -6.6 us others": twice a sum that is the difference of
/// the times, of what all GPUs waited for in the mean, and of the causes on both critical paths.
/// What makes it slower comes first. Where causes are larger than what they leave, it says so:
/// "(45.0 us; 286.4 us lost, 241.4 us won back)". Where the paths differ in computing though the
/// steps do not, the other causes are scaled to the difference of the steps, and a sentence says
/// so; beyond a factor of 2 they are left out. The faster one is named second, whichever it is.
/// Equal times: "A and B end at the same time".
std::string StepVerdict(const std::string& a_name, const StepExplanation& a,
                        const std::string& b_name, const StepExplanation& b);

}  // namespace heddle
