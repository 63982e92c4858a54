// SPDX-License-Identifier: GPL-2.0-only
/// Files that outlive a crash of the machine, not only of the process: the system may keep what was
/// written, and a new name, in memory for half a minute.
#ifndef HEDDLE_CORE_SYSTEM_DURABLE_FILE_H_
#define HEDDLE_CORE_SYSTEM_DURABLE_FILE_H_

#include <string>

namespace heddle {

/// Waits until the file's contents are on the disk. False, with errno, if the system refuses.
bool SyncFile(const std::string& path);
/// The same for the names in the file's folder; a folder that cannot be read is left alone.
void SyncFolderOf(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_CORE_SYSTEM_DURABLE_FILE_H_
