// SPDX-License-Identifier: GPL-2.0-only
/// Profiles of runs as JSON files (docs/formats/profile.md).
#pragma once

#include <string>

#include "partition/run_profile.h"

namespace heddle {

constexpr int kProfileVersion = 2;

/// Returns the file's text, of version kProfileVersion.
std::string ProfileText(const RunProfile& profile);

/// Throws UserError if the file cannot be read, is no profile or of another version, or has an
/// invalid value (named by its key).
RunProfile ReadProfile(const std::string& path);

/// Reads a profile of the given topology file. Throws UserError if it was made from a file with
/// other contents.
RunProfile ReadProfileOf(const std::string& path, const std::string& topology);

}  // namespace heddle
