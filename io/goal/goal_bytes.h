// SPDX-License-Identifier: GPL-2.0-only
/// The bytes of a schedule's file, read in parts from any place on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/spill_file.h"

namespace heddle {

class GoalBytes {
 public:
  /// Opens a file. What cannot be read from any place on, a pipe for instance, is copied to a file
  /// without a name first. Throws UserError if it cannot be read, Error of code 6 if it cannot be
  /// copied.
  explicit GoalBytes(const std::string& path);
  /// Takes bytes in memory, which must outlive it; `name` is the file's name in messages.
  GoalBytes(std::string_view bytes, const std::string& name);
  ~GoalBytes();
  GoalBytes(const GoalBytes&) = delete;
  GoalBytes& operator=(const GoalBytes&) = delete;

  std::uint64_t size() const { return size_; }
  /// Returns the file's name for messages, printable.
  const std::string& name() const { return name_; }
  /// Whether parts are views of memory, which stay valid.
  bool in_memory() const { return file_ < 0 && copy_ == nullptr; }
  /// Returns `size` bytes from a place on, all of which exist; valid until the next call. Throws
  /// UserError if they cannot be read.
  std::string_view Read(std::uint64_t at, std::size_t size);

 private:
  /// Copies all bytes of the file to copy_.
  void Copy();
  /// Throws UserError.
  [[noreturn]] void Fail(const std::string& why) const;

  std::string name_;
  std::string_view bytes_;           ///< in memory
  int file_ = -1;                    ///< open; -1: bytes_ or copy_
  std::unique_ptr<SpillFile> copy_;  ///< of a pipe
  std::uint64_t size_ = 0;
  std::string part_;  ///< of the last call
};

}  // namespace heddle
