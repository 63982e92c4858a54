// SPDX-License-Identifier: GPL-2.0-only
/// Subjects of `heddle analyze` in files of their own.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// `heddle analyze failures ARGUMENTS`. Returns an exit code; throws as commands do.
int AnalyzeFailures(const std::vector<std::string>& arguments);

/// `heddle analyze serve ARGUMENTS`. Likewise.
int AnalyzeServe(const std::vector<std::string>& arguments);

}  // namespace heddle
