// SPDX-License-Identifier: GPL-2.0-only
/// Keys of a sweep's table that are no options: they become flags of `heddle run`, or describe its
/// workload.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Returns all of them.
const std::vector<std::string>& SweepRunKeys();
/// Whether the key is one of them.
bool IsRunKey(const std::string& key);
/// Returns the flag of `heddle run` for a run key; empty for keys that describe a workload.
std::string FlagOfRunKey(const std::string& key);
/// Whether the value of a run key is a file name.
bool NamesFile(const std::string& key);

}  // namespace heddle
