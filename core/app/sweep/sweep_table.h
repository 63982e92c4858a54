// SPDX-License-Identifier: GPL-2.0-only
/// The table of a sweep (TOML; docs/formats/sweep.md), read and checked: values common to all runs,
/// and values that vary.
#ifndef HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_
#define HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A key with its value and its line in the file.
struct SweepEntry {
  /// A run key (SweepRunKeys()), or an option of `heddle options` by either of its names.
  std::string key;
  std::string value;  ///< as on a command line
  SourceLine where;
};

/// A key with all values that it takes; at least one.
struct SweepAxis {
  std::string key;
  std::vector<SweepEntry> values;
};

struct SweepTable {
  std::string file;               ///< as given
  std::string folder;             ///< folder of the table, to which its paths are relative
  std::string output;             ///< folder of the results
  std::uint32_t ranks = 1;        ///< processes of each run
  std::vector<SweepEntry> fixed;  ///< in the file's order
  std::vector<SweepAxis> axes;    ///< in the file's order; the last changes fastest
};

/// Keys that become flags of `heddle run` or describe its workload.
const std::vector<std::string>& SweepRunKeys();
/// The flag of `heddle run` for a run key; empty for keys that describe a workload.
std::string FlagOfRunKey(const std::string& key);
/// Whether the value of a run key is a file name.
bool NamesFile(const std::string& key);

/// Most runs of a table.
inline constexpr std::size_t kMostSweepRuns = 100'000;

/// Throws UserError "FILE:LINE: found. Expected: ..." for invalid TOML, unknown keys, values of a
/// wrong type, options that reject a value, files that do not exist, and a key in both tables.
SweepTable ReadSweepTable(const std::string& path);
/// The same for text in memory; `path` names the file in messages, and its folder is the base of
/// paths.
SweepTable ParseSweepTable(std::string_view text, const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_
