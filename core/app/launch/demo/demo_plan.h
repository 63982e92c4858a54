// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle demo` does, as the command lines that do the same by hand.
#pragma once

#include <string>
#include <vector>

namespace heddle {

struct DemoArguments {
  std::string folder = "heddle-demo";  ///< of all files that the demo writes
  bool force = false;                  ///< replace files, and run again
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseDemoArguments(const std::vector<std::string>& arguments, DemoArguments* given);

/// Arguments of commands, without their names. Two fabrics of 64 GPUs that differ in where the GPUs
/// of a server are connected, and a small step whose gradients cross both.
struct DemoPlan {
  std::string folder;                   ///< of all files
  std::string step;                     ///< the workload's file
  std::vector<std::string> workload;    ///< of `heddle workload`, which prints the step
  std::vector<std::string> comparison;  ///< of `heddle compare-fabrics`
  /// The same comparison in a folder of its own, with what the demo proposes to try next.
  std::vector<std::string> variant;
};
/// Writes and runs nothing; all paths are below given.folder.
DemoPlan MakeDemoPlan(const DemoArguments& given);

}  // namespace heddle
