// SPDX-License-Identifier: GPL-2.0-only
/// Profiles of runs as files: JSON, described in docs/formats/profile.md.
#ifndef HEDDLE_CORE_APP_SETUP_PROFILE_FILE_H_
#define HEDDLE_CORE_APP_SETUP_PROFILE_FILE_H_

#include <string>

#include "partition/run_profile.h"

namespace heddle {

constexpr int kProfileVersion = 2;

std::string ProfileText(const RunProfile& profile);

/// Throws UserError: cannot be read, not a profile, another version, or a value that cannot be
/// (named by its key).
RunProfile ReadProfile(const std::string& path);

/// The same for a topology file. Throws UserError if the profile is of a file with other contents.
RunProfile ReadProfileOf(const std::string& path, const std::string& topology);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_PROFILE_FILE_H_
