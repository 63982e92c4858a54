// SPDX-License-Identifier: GPL-2.0-only
/// The figures and tables of `heddle analyze paths`, of which its text and its JSON are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/collisions/path_shares.h"
#include "io/table/json_document.h"

namespace heddle {

/// Over all connections that sent on several queue pairs, of which there is at least one.
struct PathMeans {
  double paths = 0;                        ///< different ones of a connection
  double least_share = 0, most_share = 0;  ///< of the queue pair with the least, and the most
  std::optional<double> median_gain;       ///< ConnectionShares::most_gain(), if it is finite
};
/// Returns means over study.connections, which must not be empty.
PathMeans MeansOf(const PathStudy& study);

/// By how much connections were faster than in another result; shares, 0.1 is 10 %.
struct PathGain {
  std::string file;             ///< the other result
  std::size_t connections = 0;  ///< that ended in both; without any the rest is 0
  double mean = 0, p10 = 0, p90 = 0;
  std::size_t slower = 0;  ///< of them: slower here
};
/// Throws UserError if `other`, the result `file`, is of other traffic.
PathGain GainOver(const PathStudy& study, const ConnectionTimes& other, const std::string& file);

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

/// Returns the `shown` connections whose shares are furthest from equal.
std::vector<const ConnectionShares*> FurthestShares(const PathStudy& study, std::size_t shown);
/// Returns the `shown` connections whose weights are furthest apart.
std::vector<const WeighedConnection*> FurthestWeights(const PathStudy& study, std::size_t shown);

/// Returns the name of a node; a result that is no valid one may have more.
std::string NodeText(const PathStudy& study, std::uint32_t node);

/// Returns the object of --json.
OrderedJson PathsJson(const PathStudy& study, std::size_t shown,
                      const std::optional<PathGain>& gain);

}  // namespace heddle
