// SPDX-License-Identifier: GPL-2.0-only
/// The buffers of a collective's participants, as sets of ranks instead of numbers: for each piece
/// of the buffer, the ranks that contributed to it.
///
/// AllToAll and SendRecv have two buffers: messages are read from the send buffer, which does not
/// change, and written to the receive buffer.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

constexpr std::uint32_t kMaxSymbolicRanks = 256;
using Contributions = std::bitset<kMaxSymbolicRanks>;

/// Content of a message: contributions to elementary intervals.
struct SymbolicData {
  std::vector<std::size_t> intervals;
  std::vector<Contributions> content;  ///< of each of `intervals`
};

class SymbolicBuffers {
 public:
  /// `flows`: all messages of `schedule`, which must outlive it; the ends of their ranges and those
  /// of the ranks' slices divide the buffer into elementary intervals.
  SymbolicBuffers(const Schedule& schedule, const CollectiveSpec& spec, const GroupShape& shape,
                  const std::vector<GroupFlow>& flows);

  /// Content of a `flow` that forwards nothing: the current data of its source.
  SymbolicData Read(const GroupFlow& flow);
  /// Size in bytes; each contribution of an AllToAll counts.
  std::int64_t BytesOf(const SymbolicData& data) const;
  /// Writes the content of `flow` at its destination. Returns an error text, or an empty one.
  std::string Write(const GroupFlow& flow, const SymbolicData& data);
  /// Adds the data of other senders to a gathering message of an AllToAll. Returns an error text,
  /// or an empty one.
  static std::string Gather(const SymbolicData& more, SymbolicData* data);
  /// Checks that the operation is complete. Returns the first error text, or an empty one.
  std::string CheckEnd() const;

 private:
  using Buffer = std::vector<Contributions>;  ///< by interval

  bool two_buffers() const;
  std::int64_t part_begin(std::uint32_t part) const;
  std::size_t IntervalAt(std::int64_t offset) const;
  void FillAtStart();
  /// Expected content of an interval of slice `part` at `rank` at the end; empty: any.
  Contributions Expected(Participant rank, std::uint32_t part) const;

  using Place = std::tuple<Participant, std::uint16_t, std::uint32_t>;
  /// The buffer that a message is sent from or written to at `p`.
  Buffer& BufferOf(const GroupFlow& flow, Participant p);

  const Schedule* schedule_;
  CollectiveSpec spec_;
  std::uint32_t ranks_;
  std::vector<std::int64_t> cuts_;  ///< start of each interval, and the end of the buffer
  std::vector<Buffer> sent_, got_;  ///< by participant; sent_ is used only if there are two buffers
  /// Of messages that are staged, by GPU, channel and chunk.
  std::map<Place, Buffer> staged_;
};

}  // namespace heddle
