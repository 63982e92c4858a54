// SPDX-License-Identifier: GPL-2.0-only
/// The buffer of one participant in one collective: what it had, which is never changed, and what
/// it has by now, which begins as a copy of it but is copied only where something comes.
///
/// As NCCL's operations from one buffer into another, so that nothing has to be filled again
/// before the next operation. Sums are of whole elements on the grid of the buffer. Of an element
/// that the edge of a slice cuts, the bytes of the slice are moved and not added; it has no
/// meaning afterwards.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/contents/byte_ranges.h"
#include "core/containers/buffer_pool.h"

namespace heddle {

class PartBuffer {
 public:
  /// `own`: what the participant had, `bytes` of it; null: an NVSwitch, which has nothing. `result`
  /// is of at least as many bytes.
  PartBuffer(const char* own, BufferPool::Block result, std::int64_t bytes)
      : own_(own), result_(std::move(result)), bytes_(bytes) {}

  /// Returns what it has by now in these bytes. Valid until one of them changes. Throws
  /// InvariantError if it has nothing there.
  const char* Read(std::int64_t offset, std::int64_t bytes);
  const char* own() const { return own_; }  ///< what it had; null: an NVSwitch
  /// Adds `in`, element by element.
  void Add(std::int64_t offset, const char* in, std::int64_t bytes);
  /// Replaces these bytes; `in` may be where it belongs already.
  void Put(std::int64_t offset, const char* in, std::int64_t bytes);
  /// Returns where these bytes belong, for Put(); null while they are read by a send.
  char* PlaceOf(std::int64_t offset, std::int64_t bytes);

  /// Marks these bytes as read by a send, until Done().
  void Reading(std::int64_t offset, std::int64_t bytes);
  /// Ends one Reading() of the same bytes. Throws InvariantError if there was none.
  void Done(std::int64_t offset, std::int64_t bytes);

  /// Copies what it had to where nothing has come.
  void FillGaps();
  /// Returns the whole result; meaningful where something has come.
  const char* result() const { return result_.get(); }
  std::int64_t bytes() const { return bytes_; }  ///< size of the result
  /// Elements that an edge of a slice has cut, in any order.
  const std::vector<std::int64_t>& cut() const { return cut_; }
  BufferPool::Block TakeResult() { return std::move(result_); }  ///< leaves it without a result

 private:
  /// FillGaps() for the bytes [begin, end).
  void FillGaps(std::int64_t begin, std::int64_t end);
  /// Notes the elements that the ends of a slice cut.
  void NoteEdges(std::int64_t offset, std::int64_t bytes);

  const char* own_;
  BufferPool::Block result_;
  std::int64_t bytes_;
  ByteRanges came_;
  std::vector<std::pair<std::int64_t, std::int64_t>> reading_;  ///< offsets and bytes
  std::vector<std::int64_t> cut_;
};

}  // namespace heddle
