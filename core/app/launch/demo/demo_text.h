// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle demo` says around the comparison. Command lines stand alone in lines that begin
/// with two blanks, so that they can be copied.
#pragma once

#include <string>

#include "core/app/launch/demo/demo_plan.h"
#include "core/app/launch/fabrics/fabric_comparison.h"

namespace heddle {

/// What is about to be done, and how to do it by hand.
std::string DemoHead(const DemoPlan& plan);

/// What to look at and what to try next. `made`: of at least one fabric. `guide`: a file; empty: it
/// is not named.
std::string DemoNext(const DemoPlan& plan, const Comparison& made, const std::string& guide);

}  // namespace heddle
