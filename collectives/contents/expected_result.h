// SPDX-License-Identifier: GPL-2.0-only
/// What an operation must leave in a rank's buffer, and whether it did.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/contents/float_pattern.h"
#include "collectives/contents/part_buffer.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"

namespace heddle {

/// Whether an operation has a buffer that is sent and another that is received (AllToAll,
/// SendRecv). The latter of AllToAll has a slice of each rank, in their order.
bool HasTwoBuffers(Operation operation);
/// Returns the bytes of the buffer in which rank `me` has the result; at most the operation's and
/// one more a rank.
std::int64_t ResultBytes(const CollectiveSpec& spec, const GroupShape& shape, Participant me);

class ExpectedResults {
 public:
  /// Describes what is wrong with the buffer of rank `me` after operation number `operation`;
  /// empty: nothing. Fills the gaps of `buffer`. Adds the bytes that were compared to `bytes`.
  std::string FindFault(const CollectiveSpec& spec, const GroupShape& shape, Participant me,
                        std::uint32_t operation, PartBuffer* buffer, std::int64_t* bytes);

 private:
  /// `bytes` of the result from `at` on are those of a pattern from byte `from` on.
  struct Piece {
    std::int64_t at = 0, bytes = 0, from = 0;
    const FloatPattern* pattern = nullptr;
  };

  /// Returns the pattern of one GPU, made once.
  const FloatPattern* Of(NodeId gpu);
  /// Returns the pattern of the sum over the group, made once.
  const FloatPattern* OfAll(const GroupShape& shape);
  /// Returns what the result of rank `me` consists of; empty if the operation leaves it none.
  std::vector<Piece> PiecesOf(const CollectiveSpec& spec, const GroupShape& shape, Participant me);

  std::map<std::uint32_t, std::unique_ptr<FloatPattern>> of_gpu_;
  std::map<std::vector<std::uint32_t>, std::unique_ptr<FloatPattern>> of_groups_;
};

}  // namespace heddle
