// SPDX-License-Identifier: GPL-2.0-only
/// Files of a fuzzer, for readers that need a path.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// A folder of this process, deleted at its end; in memory if the system has such a file system.
const std::string& ScratchFolder();
/// Replaces a file.
void PutBytes(const std::string& path, std::string_view bytes);
std::string BytesOf(const std::string& path);

}  // namespace heddle
