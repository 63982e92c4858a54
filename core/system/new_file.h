// SPDX-License-Identifier: GPL-2.0-only
/// Creates files under names that others can guess: row logs of a result, checkpoints.
///
/// In a folder that others may write to, such a name may be a link to one of the user's files,
/// which opening it for writing would destroy. So an existing file or link is deleted, not opened,
/// and the new file is created only if nothing exists under the name.
#pragma once

#include <cstdio>
#include <string>

namespace heddle {

/// Deletes a regular file or a link, not its target; succeeds if there is none. False, with errno,
/// if something still exists.
bool RemoveLeftOver(const std::string& path);

/// Creates a file and opens it for writing, mode 0666 less the umask, replacing a regular file or
/// link; a character device (/dev/null) is opened directly. Negative, with errno, on failure.
int MakeNewFile(const std::string& path);
/// Makes the same as a stream; null, with errno, on failure.
std::FILE* MakeNewStream(const std::string& path);
/// Returns an open file as a stream, which owns the file. On failure, or if `file` is negative,
/// null with errno; the file is closed.
std::FILE* StreamOf(int file, const char* mode);

}  // namespace heddle
