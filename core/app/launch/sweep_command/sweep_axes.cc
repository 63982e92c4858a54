// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_axes.h"

#include <set>
#include <string>

namespace heddle {
namespace {

std::size_t CountValues(const std::vector<SweepRun>& runs, std::size_t axis) {
  std::set<std::string> values;
  for (const SweepRun& run : runs) values.insert(run.shown[axis]);
  return values.size();
}

}  // namespace

std::vector<std::size_t> VaryingAxes(const SweepTable& table, const std::vector<SweepRun>& runs) {
  std::vector<std::size_t> axes;
  int told = 0;  // the [zip] whose rows are distinguished
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const int zip = table.axes[axis].zip;
    const std::size_t values = CountValues(runs, axis);
    if (values < 2 || (zip > 0 && zip == told)) continue;
    axes.push_back(axis);
    if (zip > 0 && values == table.axes[axis].values.size()) told = zip;
  }
  return axes;
}

}  // namespace heddle
