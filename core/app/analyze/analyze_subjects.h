// SPDX-License-Identifier: GPL-2.0-only
/// Subjects of `heddle analyze` in files of their own.
#ifndef HEDDLE_CORE_APP_ANALYZE_ANALYZE_SUBJECTS_H_
#define HEDDLE_CORE_APP_ANALYZE_ANALYZE_SUBJECTS_H_

#include <string>
#include <vector>

namespace heddle {

/// `heddle analyze failures ARGUMENTS`. Returns an exit code; throws as commands do.
int AnalyzeFailures(const std::vector<std::string>& arguments);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ANALYZE_ANALYZE_SUBJECTS_H_
