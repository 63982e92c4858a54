// SPDX-License-Identifier: GPL-2.0-only
/// Digests of input files: for provenance, and to find copies that differ.
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// 64-bit digest (XXH3), as 16 hexadecimal digits.
std::string BytesDigest(const void* data, std::size_t bytes);
/// Returns the same digest of a file's bytes. Throws UserError if the file cannot be read.
std::string FileDigest(const std::string& path);

/// Whether a file can be read only once: a pipe, a terminal. False if the file does not exist.
bool IsReadOnce(const std::string& path);
/// FileDigest(), or "read once".
std::string InputDigest(const std::string& path);

}  // namespace heddle
