// SPDX-License-Identifier: GPL-2.0-only
/// Bytes that do not stay in memory: a file without a name, which ends with the process.
///
/// It is made in the folder that TMPDIR names, else in /tmp. Only the process that made it reads
/// it, so its content is trusted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

class SpillFile {
 public:
  /// Throws Error of code 6 if no file can be made.
  SpillFile();
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Appends bytes, and returns where they begin. Throws Error of code 6, on a full disk for
  /// instance.
  std::int64_t Append(const void* bytes, std::size_t size);
  /// Reads bytes that were appended. Throws Error of code 6.
  void Read(std::int64_t from, void* bytes, std::size_t size) const;
  /// Returns the number of bytes.
  std::int64_t size() const { return size_; }

 private:
  int file_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace heddle
