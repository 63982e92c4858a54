// SPDX-License-Identifier: GPL-2.0-only
/// Names of a sweep's runs: short, of what varies only, and unique.
///
/// A run's name has a word for each key of [vary] and for each [zip]: its label, a file's name
/// without its ending, a size, what an option calls its value, or KEY-VALUE with the last part of
/// the key. Words of one key that would be the same for different values are lengthened, and so are
/// names: "fabrics-a" for fabrics/a.txt, the key as a whole. What a file system may not take
/// becomes
/// '-'.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/app/launch/sweep_table/sweep_table.h"

namespace heddle {

/// Returns the names of runs, which are lists of the index of each axis' value. Throws UserError
/// for two runs of one name, and for names that are too long.
std::vector<std::string> SweepNames(const SweepTable& table,
                                    const std::vector<std::vector<std::size_t>>& runs);

/// What tables and pages call the values of an axis: their labels; files' names without folder and
/// ending, and words of options, where these distinguish them; "64 KiB"; or the values.
std::vector<std::string> ShownValues(const SweepAxis& axis);

}  // namespace heddle
