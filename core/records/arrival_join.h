// SPDX-License-Identifier: GPL-2.0-only
/// Joins the receiver's record of a flow to the sender's: the column received_ps.
///
/// The receiver sees the last byte of a flow arrive but does not know the flow's start. So senders
/// write rows of table "flows", receivers rows of table "arrivals", and a result has their join.
/// Where a rank finds both in one batch, the sender's row has the time already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/table.h"

namespace heddle {

constexpr const char* kReceivedColumn = "received_ps";
/// Returns the column of these times [ps]; -1 for a flow without arrival.
Column ReceivedColumn(std::vector<std::int64_t> values);
/// Returns its values in the table "flows", where it is inserted after fct_ps, without values, if
/// there is none. Throws UserError if it is of another type. `flows` must have fct_ps.
std::vector<std::int64_t>& ReceivedOf(Table* flows);

/// Reads both tables in the order of (src, number), each in blocks of any length.
class ArrivalJoin {
 public:
  /// `next_arrivals` returns the next rows of src, number (u32) and time_ps (i64: arrival of the
  /// last byte); no rows at the end.
  explicit ArrivalJoin(std::function<Table()> next_arrivals);
  ArrivalJoin(const ArrivalJoin&) = delete;
  ArrivalJoin& operator=(const ArrivalJoin&) = delete;

  /// Fills in column received_ps, and inserts it after fct_ps if there is none: time from start to
  /// arrival, -1 for a flow without arrival. If a flow has several arrivals, sorted by time, the
  /// earliest counts, that in the column included. Throws UserError unless `flows` has src, number
  /// (u32), start_ps and fct_ps (i64).
  void AddReceived(Table* flows);

 private:
  /// Gets the next block of arrivals and points the columns at it. Throws UserError if a column is
  /// missing.
  void NextArrivals();
  /// Advances to the first arrival that is not before this flow; returns whether it belongs to the
  /// flow.
  bool Advance(std::uint32_t source, std::uint32_t number);

  std::function<Table()> next_;
  Table block_;  ///< arrivals; its columns follow
  const std::vector<std::uint32_t>* source_ = nullptr;
  const std::vector<std::uint32_t>* number_ = nullptr;
  const std::vector<std::int64_t>* time_ = nullptr;
  std::size_t row_ = 0;
};

}  // namespace heddle
