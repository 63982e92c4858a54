// SPDX-License-Identifier: GPL-2.0-only
/// Writes files through to the disk, so that they survive a crash of the machine: the system may
/// keep contents and new names in memory for half a minute.
#pragma once

#include <string>

namespace heddle {

/// Waits until the file's contents are on the disk. False, with errno, on failure.
bool SyncFile(const std::string& path);
/// Waits until the names in the file's folder are on the disk; ignores a folder that cannot be
/// read.
void SyncFolderOf(const std::string& path);

}  // namespace heddle
