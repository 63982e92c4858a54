// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/chunk_codec.h"

#include <libdeflate.h>

#include <new>

#include "core/base/check.h"

namespace heddle {
namespace {

/// A template, so that the compiler knows the stride.
template <std::size_t kBytes>
void Shuffle(const char* raw, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) to[byte * count + i] = raw[i * kBytes + byte];
  }
}

void Shuffle(const char* raw, std::size_t count, std::size_t element_bytes, char* to) {
  switch (element_bytes) {
    case 2:
      return Shuffle<2>(raw, count, to);
    case 4:
      return Shuffle<4>(raw, count, to);
    case 8:
      return Shuffle<8>(raw, count, to);
  }
  throw InvariantError("a chunk with values of another size than 1, 2, 4 or 8 bytes");
}

}  // namespace

ChunkEncoder::ChunkEncoder(int effort) : compressor_(libdeflate_alloc_compressor(effort)) {
  if (compressor_ == nullptr) throw std::bad_alloc();
}

ChunkEncoder::~ChunkEncoder() { libdeflate_free_compressor(compressor_); }

std::vector<char> ChunkEncoder::Encode(const char* raw, std::size_t bytes,
                                       std::size_t element_bytes) {
  HEDDLE_INVARIANT(element_bytes > 0 && bytes % element_bytes == 0,
                   "a chunk that is no whole number of values");
  if (element_bytes > 1) {
    shuffled_.resize(bytes);
    Shuffle(raw, bytes / element_bytes, element_bytes, shuffled_.data());
    raw = shuffled_.data();
  }
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor_, bytes);
  if (packed_.size() < bound) packed_.resize(bound);
  const std::size_t size =
      libdeflate_zlib_compress(compressor_, raw, bytes, packed_.data(), packed_.size());
  HEDDLE_INVARIANT(size > 0, "a chunk became larger than libdeflate's bound");
  return {packed_.data(), packed_.data() + size};
}

}  // namespace heddle
