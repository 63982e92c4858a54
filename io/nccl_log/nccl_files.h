// SPDX-License-Identifier: GPL-2.0-only
/// Where the logs of a run of NCCL are: one file of all, or a folder with the files that
/// NCCL_DEBUG_FILE has named.
#pragma once

#include <string>
#include <vector>

#include "io/nccl_log/nccl_log.h"

namespace heddle {

/// Returns the file, or the files in a folder by name. Throws UserError if there is none.
std::vector<std::string> FindNcclLogs(const std::string& path);

/// Whether the path is a folder, or a file in whose beginning NCCL says something.
bool IsNcclLog(const std::string& path);

/// Reads the logs. Throws UserError.
NcclTrace ReadNcclLogs(const std::string& path);

}  // namespace heddle
