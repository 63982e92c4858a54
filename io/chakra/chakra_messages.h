// SPDX-License-Identifier: GPL-2.0-only
/// The messages of a file of Chakra: each follows its length, which is a protobuf varint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/chakra/byte_source.h"

namespace heddle {

/// Its memory is that of the longest message, and of no more bytes than the file has.
class ChakraMessages {
 public:
  /// `name`: of the file, for messages.
  ChakraMessages(std::unique_ptr<ByteSource> bytes, std::string name);

  /// Sets `message`, which is good until the next call; false at the end of the file. Throws
  /// UserError for lengths that are none, are too large, or go beyond the file.
  bool Next(std::string_view* message);
  /// Where the last message begins, its length included, counted from the unpacked first byte.
  std::uint64_t offset() const { return offset_; }
  /// Throws UserError "FILE: byte OFFSET: found. Expected: expected" with the offset of the last
  /// message.
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const;

 private:
  /// Whether `count` bytes are there from at_ on; reads more of the file if not.
  bool Have(std::size_t count);
  /// Takes the varint before a message. Throws UserError if it is cut off, or above
  /// kMaxChakraMessage.
  std::size_t ReadLength();

  std::unique_ptr<ByteSource> bytes_;
  std::string name_, buffer_;
  std::size_t at_ = 0;         ///< in the buffer: the next byte
  std::uint64_t dropped_ = 0;  ///< bytes before the buffer
  std::uint64_t offset_ = 0;
};

}  // namespace heddle
