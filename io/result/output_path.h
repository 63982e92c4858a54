// SPDX-License-Identifier: GPL-2.0-only
/// Early checks of a path that will be written, so that a long run does not end without its result.
#ifndef HEDDLE_IO_RESULT_OUTPUT_PATH_H_
#define HEDDLE_IO_RESULT_OUTPUT_PATH_H_

#include <cstdint>
#include <string>

namespace heddle {

/// Throws FileError with the remedy: the path is a directory, exists (unless `force`), or its
/// directory does not exist or cannot be written.
void CheckOutputPath(const std::string& path, bool force);

/// Throws FileError if the file system that `path` is on has less than `bytes` free: HDF5 cannot be
/// stopped in good order once a file of its has no room.
void CheckRoom(const std::string& path, std::uint64_t bytes);

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_OUTPUT_PATH_H_
