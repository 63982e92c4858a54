// SPDX-License-Identifier: GPL-2.0-only
/// What every participant of a collective holds, as sets of ranks instead of numbers: for each
/// piece of the buffer, whose contributions are in it.
///
/// AllToAll and SendRecv have two buffers: messages are read from the one, which keeps what it had,
/// and written to the other.
#ifndef HEDDLE_TESTS_SUPPORT_SYMBOLIC_BUFFERS_H_
#define HEDDLE_TESTS_SUPPORT_SYMBOLIC_BUFFERS_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

constexpr std::uint32_t kMaxSymbolicRanks = 256;
using Contributions = std::bitset<kMaxSymbolicRanks>;

/// What a message carries: contributions to consecutive elementary intervals.
struct SymbolicData {
  std::size_t first = 0;               ///< interval
  std::vector<Contributions> content;  ///< from there on
};

class SymbolicBuffers {
 public:
  /// `flows`: all messages, whose ends (with those of the ranks' parts) cut the buffer into
  /// elementary intervals.
  SymbolicBuffers(const CollectiveSpec& spec, const GroupShape& shape,
                  const std::vector<GroupFlow>& flows);

  /// What `flow` carries that is not handed on: what its source holds there now.
  SymbolicData Read(const GroupFlow& flow) const;
  /// Its bytes, every contribution of an AllToAll on its own.
  std::int64_t BytesOf(const SymbolicData& data) const;
  /// `flow` has arrived with this. Returns a complaint, or nothing.
  std::string Write(const GroupFlow& flow, const SymbolicData& data);
  /// A message of an AllToAll that gathers: adds what others sent. Returns a complaint, or nothing.
  static std::string Gather(const SymbolicData& more, SymbolicData* data);
  /// Whether the operation is done. Returns the first complaint, or nothing.
  std::string CheckEnd() const;

 private:
  using Buffer = std::vector<Contributions>;  ///< by interval

  bool two_buffers() const;
  std::int64_t part_begin(std::uint32_t part) const;
  std::size_t IntervalAt(std::int64_t offset) const;
  void FillAtStart();
  /// What `rank` should hold of an interval of part `part` at the end; empty: whatever it likes.
  Contributions Expected(Participant rank, std::uint32_t part) const;

  CollectiveSpec spec_;
  std::uint32_t ranks_;
  std::vector<std::int64_t> cuts_;  ///< begin of each interval, and the end of the buffer
  std::vector<Buffer> sent_, got_;  ///< by participant; sent_ is used only if there are two buffers
};

}  // namespace heddle

#endif  // HEDDLE_TESTS_SUPPORT_SYMBOLIC_BUFFERS_H_
