// SPDX-License-Identifier: GPL-2.0-only
/// Early checks of a path that will be written, so that a long run does not end without its result.
#ifndef HEDDLE_IO_OUTPUT_PATH_H_
#define HEDDLE_IO_OUTPUT_PATH_H_

#include <string>

namespace heddle {

/// Throws FileError with the remedy: the path is a directory, exists (unless `force`), or its
/// directory does not exist or cannot be written.
void CheckOutputPath(const std::string& path, bool force);

}  // namespace heddle

#endif  // HEDDLE_IO_OUTPUT_PATH_H_
