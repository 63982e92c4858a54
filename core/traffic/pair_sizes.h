// SPDX-License-Identifier: GPL-2.0-only
/// Bytes that each rank of a group sends to each, where the pairs differ: an AllToAll of experts
/// that some ranks ask for more often than others.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

/// What a collective has of it is a pointer to a table that does not change, owned by the job's
/// program; null: all pairs are alike.
struct PairSizes {
  /// Bytes from rank `from` to rank `to` at from * ranks + to, at least 0; not empty.
  std::vector<std::int64_t> bytes;
};

/// Orders tables by what they hold, those of pairs that are alike first: negative, 0 or positive as
/// `a` comes before `b`, is equal, or comes after it.
inline int CompareSizes(const PairSizes* a, const PairSizes* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  if (a->bytes == b->bytes) return 0;
  return a->bytes < b->bytes ? -1 : 1;
}

}  // namespace heddle
