// SPDX-License-Identifier: GPL-2.0-only
/// Early checks of an output path, so that a long run does not end without its result.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// Throws FileError with the remedy if the path is a directory, exists (unless `force`), or its
/// directory does not exist or is not writable.
void CheckOutputPath(const std::string& path, bool force);

/// Throws FileError if the file system of `path` has less than `bytes` free, because HDF5 cannot be
/// stopped in order once one of its files has no space left.
void CheckRoom(const std::string& path, std::uint64_t bytes);

}  // namespace heddle
