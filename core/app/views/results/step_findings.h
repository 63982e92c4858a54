// SPDX-License-Identifier: GPL-2.0-only
/// What the top of a page says of the steps of its results.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Says of one result where the time of its last job went; of two to four, how the slower ones
/// differ from the fastest, and by which causes. Empty for other numbers, and if one is not of
/// packets, has no time lines, has a job that did not end, or if their jobs did not do the same.
std::vector<std::string> StepFindings(const std::vector<std::string>& results);

}  // namespace heddle
