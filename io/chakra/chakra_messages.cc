// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "io/chakra/chakra_limits.h"

namespace heddle {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;  ///< of the file, read at once

}  // namespace

ChakraMessages::ChakraMessages(std::unique_ptr<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {}

void ChakraMessages::Fail(const std::string& found, const std::string& expected) const {
  throw UserError(fmt::format("{}: byte {}: {}. Expected: {}", name_, offset_, found, expected));
}

bool ChakraMessages::Have(std::size_t count) {
  if (buffer_.size() - at_ >= count) return true;
  buffer_.erase(0, at_);
  dropped_ += at_;
  at_ = 0;
  while (buffer_.size() < count) {
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kPiece);
    const std::size_t more = bytes_->Read(buffer_.data() + size, kPiece);
    buffer_.resize(size + more);
    if (more == 0) return false;
  }
  return true;
}

std::size_t ChakraMessages::ReadLength() {
  std::uint64_t length = 0;
  constexpr unsigned kMostBits = 35;
  for (unsigned bits = 0; bits < kMostBits; bits += 7) {
    if (!Have(1)) Fail("a length that is cut off", "a whole file");
    const auto byte = static_cast<unsigned char>(buffer_[at_++]);
    length |= static_cast<std::uint64_t>(byte & 0x7fU) << bits;
    if (byte < 0x80U) {
      if (length > kMaxChakraMessage)
        Fail(fmt::format("a message of {} bytes", length),
             fmt::format("a trace of Chakra, whose messages have at most {} bytes",
                         kMaxChakraMessage));
      return static_cast<std::size_t>(length);
    }
  }
  Fail("a length of more than five bytes", "a trace of Chakra");
}

bool ChakraMessages::Next(std::string_view* message) {
  if (!Have(1)) return false;
  offset_ = dropped_ + at_;
  const std::size_t length = ReadLength();
  if (!Have(length))
    Fail(fmt::format("a message of {} bytes, of which {} are there", length, buffer_.size()),
         "a whole file");
  *message = std::string_view(buffer_).substr(at_, length);
  at_ += length;
  return true;
}

}  // namespace heddle
