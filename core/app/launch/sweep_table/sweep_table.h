// SPDX-License-Identifier: GPL-2.0-only
/// The table of a sweep (TOML; docs/formats/sweep.md), read and checked: values common to all runs,
/// values that vary, and values that vary together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/app/launch/sweep_table/sweep_entry.h"

namespace heddle {

/// A key with all values that it takes; at least one.
struct SweepAxis {
  std::string key;
  std::vector<SweepEntry> values;
  /// Neighbours of one number above 0 are a [zip]: they have equally many values and vary together.
  int zip = 0;
};

struct SweepTable {
  std::string file;               ///< as given
  std::string folder;             ///< folder of the table, to which its paths are relative
  std::string output;             ///< folder of the results
  std::uint32_t ranks = 1;        ///< processes of each run
  std::vector<SweepEntry> fixed;  ///< in the file's order
  std::vector<SweepAxis> axes;    ///< in the file's order; the last changes fastest
  std::string label;              ///< of [run]: what all names begin with; empty: nothing
};

/// Most runs of a table.
inline constexpr std::size_t kMostSweepRuns = 100'000;

/// Throws UserError "FILE:LINE: found. Expected: ..." for invalid TOML, unknown keys, values of a
/// wrong type, options that reject a value, files that do not exist, a key in two places, lists of
/// a [zip] whose lengths differ, and labels that are none or stand for two values.
SweepTable ReadSweepTable(const std::string& path);
/// Reads text in memory likewise; `path` names the file in messages, and its folder is the base of
/// paths.
SweepTable ParseSweepTable(std::string_view text, const std::string& path);

}  // namespace heddle
