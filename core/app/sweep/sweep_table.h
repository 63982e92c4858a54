// SPDX-License-Identifier: GPL-2.0-only
/// The table of a sweep (TOML; docs/formats/sweep.md), read and checked: what all runs share, and
/// what is varied.
#ifndef HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_
#define HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A key with a value, and where it stands.
struct SweepEntry {
  std::string key;  ///< a run key (SweepRunKeys()), or an option of `heddle options` by either name
  std::string value;  ///< as on a command line
  SourceLine where;
};

/// A key with all values that it takes, at least one.
struct SweepAxis {
  std::string key;
  std::vector<SweepEntry> values;
};

struct SweepTable {
  std::string file;               ///< as given
  std::string folder;             ///< the table's own, to which paths in it are relative
  std::string output;             ///< folder of the results
  std::uint32_t ranks = 1;        ///< processes a run
  std::vector<SweepEntry> fixed;  ///< in the file's order
  std::vector<SweepAxis> axes;    ///< in the file's order; the last changes fastest
};

/// Keys that become flags of `heddle run`, or its workload.
const std::vector<std::string>& SweepRunKeys();
/// The flag that stands for a run key; empty for those that make a workload.
std::string FlagOfRunKey(const std::string& key);
/// Whether a run key names a file.
bool NamesFile(const std::string& key);

/// More runs than this are refused.
inline constexpr std::size_t kMostSweepRuns = 100'000;

/// Throws UserError "FILE:LINE: found. Expected: ..." for what is no TOML, unknown keys, values of
/// other types, options that do not take a value, files that do not exist, a key in both tables.
SweepTable ReadSweepTable(const std::string& path);
/// The same for text in memory; `path` stands for the file in messages, and its folder for paths.
SweepTable ParseSweepTable(std::string_view text, const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_SWEEP_TABLE_H_
