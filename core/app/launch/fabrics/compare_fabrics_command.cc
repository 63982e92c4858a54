// SPDX-License-Identifier: GPL-2.0-only
/// `heddle compare-fabrics`: a step, or a collective size by size, on several fabrics alike; one
/// table, one page, and why.
#include "core/app/base/cli/commands.h"
#include "core/app/base/processes/launch_limits.h"
#include "core/app/launch/fabrics/fabric_arguments.h"
#include "core/app/launch/fabrics/fabric_comparison.h"
#include "core/app/launch/fabrics/fabric_files.h"

namespace heddle {

int CompareFabricsCommand(const std::vector<std::string>& arguments) {
  FabricArguments given;
  if (!ParseFabricArguments(arguments, &given)) return 0;
  CheckProcesses("--ranks", given.ranks, 1, FindLaunchPlace());
  return CompareFabrics(given, ChooseFabrics(given)).code;
}

}  // namespace heddle
