// SPDX-License-Identifier: GPL-2.0-only
/// HDF5's filters shuffle and deflate for one chunk, to compress chunks outside HDF5.
///
/// Shuffle puts byte 0 of all values first, then byte 1, and so on; deflate is a zlib stream. Every
/// HDF5 reader undoes both. libdeflate compresses several times faster than zlib.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

struct libdeflate_compressor;

namespace heddle {

/// Compression level of libdeflate, 1 to 12 (docs/decisions/0016-one-writer.md has the
/// measurement).
constexpr int kChunkEffort = 3;

/// Not thread-safe.
class ChunkEncoder final {
 public:
  /// `effort`: compression level, 1 to 12. Throws std::bad_alloc.
  explicit ChunkEncoder(int effort = kChunkEffort);
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  /// Returns the chunk as it is stored in the file. `raw`: values of `element_bytes` bytes each.
  std::vector<char> Encode(const char* raw, std::size_t bytes, std::size_t element_bytes);

 private:
  libdeflate_compressor* compressor_;
  std::vector<char> shuffled_, packed_;  ///< of the last chunk, for their memory
};

}  // namespace heddle
