// SPDX-License-Identifier: GPL-2.0-only
/// The messages of a job's collectives: rows of table `flows`, found by who received or sent them
/// when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Holds references: `flows` must outlive it. A row is one of table "flows". Flows that did not
/// finish are not found.
class MessageIndex {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Sorts the messages of one job. `received`: a message counts as done with its last byte at the
  /// receiver (flow.completion=received), otherwise with the last ACK at the sender.
  MessageIndex(const Table& flows, std::uint16_t job, bool received);

  bool empty() const { return by_receiver_.empty(); }                     ///< the job has none
  std::uint32_t source(std::size_t row) const { return src_[row]; }       ///< a node
  std::uint32_t destination(std::size_t row) const { return dst_[row]; }  ///< a node
  std::int64_t start_ps(std::size_t row) const { return start_[row]; }    ///< when it was sent
  /// Returns when the message was done [ps].
  std::int64_t end_ps(std::size_t row) const { return start_[row] + span_[row]; }

  /// Returns the last message of an operation that was done at or before `time` and that `node`
  /// received, on any channel; kNone if there is none.
  std::size_t LastReceived(std::uint32_t operation, std::uint32_t node, std::int64_t time) const;
  /// Returns likewise the last message that `node` sent.
  std::size_t LastSent(std::uint32_t operation, std::uint32_t node, std::int64_t time) const;
  /// Returns the last message that the sender of `row` received on the same channel before it sent
  /// `row`.
  std::size_t ParentOf(std::size_t row) const;
  /// Returns the message before `row` of the same sender to the same receiver on the same channel;
  /// kNone if there is none.
  std::size_t Earlier(std::size_t row) const;
  /// About when its last byte had left its sender: as long before its arrival as its last ACK took
  /// to come back.
  std::int64_t left_ps(std::size_t row) const {
    return start_[row] + std::max<std::int64_t>(2 * received_[row] - fct_[row], 0);
  }

 private:
  const std::vector<std::uint32_t>&src_, &dst_, &operation_;
  const std::vector<std::uint16_t>& channel_;
  const std::vector<std::int64_t>&start_, &fct_, &received_;
  const std::vector<std::int64_t>& span_;   ///< fct_ or received_
  std::vector<std::uint32_t> by_receiver_;  ///< operation, receiver, end
  std::vector<std::uint32_t> by_channel_;   ///< operation, receiver, channel, end
  std::vector<std::uint32_t> by_sender_;    ///< operation, sender, end
  std::vector<std::uint32_t> by_pair_;      ///< operation, sender, receiver, channel, start
};

}  // namespace heddle
