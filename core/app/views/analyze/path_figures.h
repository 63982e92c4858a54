// SPDX-License-Identifier: GPL-2.0-only
/// The tables of `heddle analyze paths`, of which its text and its JSON are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/collisions/path_gain.h"
#include "io/collisions/path_shares.h"
#include "io/table/json_document.h"

namespace heddle {

/// A queue pair of a connection that sent.
struct QueuePairRow {
  const PathStudy& study;
  const ConnectionShares& connection;
  const PathShare& pair;
};
/// Returns a row a queue pair that sent; both arguments must outlive the rows.
std::vector<QueuePairRow> RowsOf(const PathStudy& study, const ConnectionShares& connection);
/// Returns source port, share, bytes and path.
PrintedColumns<QueuePairRow> QueuePairColumns();

/// A queue pair of a connection with weights.
struct WeightRow {
  std::size_t queue_pair = 0;
  const WeighedConnection::Pair& pair;
};
/// Returns a row a queue pair; `connection` must outlive the rows.
std::vector<WeightRow> RowsOf(const WeighedConnection& connection);
PrintedColumns<WeightRow> WeightColumns();

/// Returns the name of a node; a result that is no valid one may have more.
std::string NodeText(const PathStudy& study, std::uint32_t node);

/// Returns the object of --json.
OrderedJson PathsJson(const PathStudy& study, std::size_t shown,
                      const std::optional<PathGain>& gain);

}  // namespace heddle
