// SPDX-License-Identifier: GPL-2.0-only
/// Exact division of a buffer into pieces, also if sizes do not divide.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

/// A range of a buffer [byte].
struct ByteRange {
  std::int64_t offset = 0, bytes = 0;
};

/// Piece `k` of `whole` divided into `parts` pieces that differ by a byte at most: from floor(k
/// bytes / parts) on, 0 <= k < parts.
inline ByteRange PartOf(const ByteRange& whole, std::uint32_t parts, std::uint32_t k) {
  const auto begin = [&](std::int64_t i) {  // the product i * bytes may overflow
    return i * (whole.bytes / parts) + i * (whole.bytes % parts) / parts;
  };
  return {whole.offset + begin(k), begin(std::int64_t{k} + 1) - begin(k)};
}

/// PartOf() of a buffer that is divided again and again: it divides once.
class Division {
 public:
  /// Divides `bytes` >= 0 into `parts` >= 1 pieces.
  Division(std::int64_t bytes, std::uint32_t parts)
      : parts_(parts), quotient_(bytes / parts), remainder_(bytes % parts) {}

  /// Piece `k` < `parts` of the buffer, from its beginning.
  ByteRange Part(std::uint32_t k) const {
    const std::int64_t begin = Begin(k);
    return {begin, Begin(std::int64_t{k} + 1) - begin};
  }
  /// Whether all pieces are of equal size.
  bool even() const { return remainder_ == 0; }
  /// floor(bytes / parts); each piece has that many bytes, or one more.
  std::int64_t smallest() const { return quotient_; }

 private:
  /// Returns the first byte of piece `k`; for k = parts the end of the buffer.
  std::int64_t Begin(std::int64_t k) const {
    return k * quotient_ + (even() ? 0 : k * remainder_ / parts_);
  }

  std::int64_t parts_, quotient_, remainder_;
};

/// Number of pieces of at most `largest` bytes for each of `parts` shares of a buffer; 1 to 2^16,
/// so that chunk numbers of 65,536 ranks fit in 32 bits.
inline std::uint32_t PiecesOf(std::int64_t bytes, std::uint32_t parts, std::int64_t largest) {
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t part = (bytes + parts - 1) / parts;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((part + largest - 1) / largest, 1, kMost));
}

}  // namespace heddle
