// SPDX-License-Identifier: GPL-2.0-only
/// The bytes of a file in order, unpacked if gzip packed them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Copies up to `most` bytes, > 0, to `to`. Returns their number, which is 0 at the end only.
  /// Throws UserError with the file's name.
  virtual std::size_t Read(char* to, std::size_t most) = 0;
};

/// Opens a file. Throws UserError if it cannot be read.
std::unique_ptr<ByteSource> OpenBytes(const std::string& path);
/// Reads bytes in memory, which must outlive it; `name` is the file's name in messages.
std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes, const std::string& name);

}  // namespace heddle
