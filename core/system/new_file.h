// SPDX-License-Identifier: GPL-2.0-only
/// Files that the program makes under names that others can guess: parts of a result, checkpoints.
///
/// In a folder that others may write to, a link may lie under such a name, which leads to a file of
/// the user's: to open it for writing would destroy that one. So what lies there is deleted, not
/// opened, and the new file is made only if there is none.
#ifndef HEDDLE_CORE_SYSTEM_NEW_FILE_H_
#define HEDDLE_CORE_SYSTEM_NEW_FILE_H_

#include <cstdio>
#include <string>

namespace heddle {

/// Deletes a plain file or a link, not what it leads to; fine if there is none. False, with errno,
/// if something is there then.
bool RemoveLeftOver(const std::string& path);

/// A new file, open for writing, mode 0666 less the umask, in place of a plain file or link that
/// was there; a character device (/dev/null) is opened as it is. Below 0, with errno, if the system
/// refuses.
int MakeNewFile(const std::string& path);
/// The same as a stream; null, with errno, if the system refuses.
std::FILE* MakeNewStream(const std::string& path);
/// An open file as a stream, which owns it; null, with errno and the file closed, if the system
/// refuses, or if it is below 0 already.
std::FILE* StreamOf(int file, const char* mode);

}  // namespace heddle

#endif  // HEDDLE_CORE_SYSTEM_NEW_FILE_H_
