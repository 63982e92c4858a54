// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/message_index.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace heddle {
namespace {

/// Sorts rows by key(row).
template <class Key>
std::vector<std::uint32_t> Sorted(std::vector<std::uint32_t> rows, const Key& key) {
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::make_tuple(key(a), a) < std::make_tuple(key(b), b);
  });
  return rows;
}

/// The last row whose key is not above `most`, if `belongs` says that it is of the same kind.
template <class Key, class Value, class Belongs>
std::size_t Last(const std::vector<std::uint32_t>& rows, const Key& key, const Value& most,
                 const Belongs& belongs) {
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), most,
                       [&](const Value& value, std::uint32_t row) { return value < key(row); });
  if (after == rows.begin() || !belongs(*(after - 1))) return MessageIndex::kNone;
  return *(after - 1);
}

}  // namespace

MessageIndex::MessageIndex(const Table& flows, std::uint16_t job, bool received)
    : src_(GetColumn<std::uint32_t>(flows, "src")),
      dst_(GetColumn<std::uint32_t>(flows, "dst")),
      operation_(GetColumn<std::uint32_t>(flows, "operation")),
      channel_(GetColumn<std::uint16_t>(flows, "channel")),
      start_(GetColumn<std::int64_t>(flows, "start_ps")),
      fct_(GetColumn<std::int64_t>(flows, "fct_ps")),
      received_(GetColumn<std::int64_t>(flows, "received_ps")),
      span_(received ? received_ : fct_) {
  const auto& of_job = GetColumn<std::uint16_t>(flows, "job");
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < src_.size(); ++row) {
    const bool timely =
        start_[row] >= 0 && start_[row] <= std::numeric_limits<std::int64_t>::max() - span_[row];
    if (of_job[row] == job && span_[row] > 0 && timely)
      rows.push_back(static_cast<std::uint32_t>(row));
  }
  by_receiver_ = Sorted(rows, [&](std::uint32_t row) {
    return std::make_tuple(operation_[row], dst_[row], end_ps(row));
  });
  by_channel_ = Sorted(rows, [&](std::uint32_t row) {
    return std::make_tuple(operation_[row], dst_[row], channel_[row], end_ps(row));
  });
  by_sender_ = Sorted(rows, [&](std::uint32_t row) {
    return std::make_tuple(operation_[row], src_[row], end_ps(row));
  });
  by_pair_ = Sorted(std::move(rows), [&](std::uint32_t row) {
    return std::make_tuple(operation_[row], src_[row], dst_[row], channel_[row], start_[row]);
  });
}

std::size_t MessageIndex::LastReceived(std::uint32_t operation, std::uint32_t node,
                                       std::int64_t time) const {
  return Last(
      by_receiver_,
      [&](std::uint32_t row) { return std::make_tuple(operation_[row], dst_[row], end_ps(row)); },
      std::make_tuple(operation, node, time),
      [&](std::uint32_t row) { return operation_[row] == operation && dst_[row] == node; });
}

std::size_t MessageIndex::LastSent(std::uint32_t operation, std::uint32_t node,
                                   std::int64_t time) const {
  return Last(
      by_sender_,
      [&](std::uint32_t row) { return std::make_tuple(operation_[row], src_[row], end_ps(row)); },
      std::make_tuple(operation, node, time),
      [&](std::uint32_t row) { return operation_[row] == operation && src_[row] == node; });
}

std::size_t MessageIndex::ParentOf(std::size_t child) const {
  return Last(
      by_channel_,
      [&](std::uint32_t row) {
        return std::make_tuple(operation_[row], dst_[row], channel_[row], end_ps(row));
      },
      std::make_tuple(operation_[child], src_[child], channel_[child], start_[child]),
      [&](std::uint32_t row) {
        return operation_[row] == operation_[child] && dst_[row] == src_[child] &&
               channel_[row] == channel_[child];
      });
}

std::size_t MessageIndex::Earlier(std::size_t later) const {
  return Last(
      by_pair_,
      [&](std::uint32_t row) {
        return std::make_tuple(operation_[row], src_[row], dst_[row], channel_[row], start_[row]);
      },
      std::make_tuple(operation_[later], src_[later], dst_[later], channel_[later],
                      start_[later] - 1),
      [&](std::uint32_t row) {
        return operation_[row] == operation_[later] && src_[row] == src_[later] &&
               dst_[row] == dst_[later] && channel_[row] == channel_[later];
      });
}

}  // namespace heddle
