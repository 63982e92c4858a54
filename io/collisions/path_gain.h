// SPDX-License-Identifier: GPL-2.0-only
/// What shares of queue pairs gained: means over the connections of a result, the gain over another
/// result, and which connections are furthest from equal shares.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/collisions/path_shares.h"

namespace heddle {

/// Over all connections that sent on several queue pairs, of which there is at least one.
struct PathMeans {
  double paths = 0;                        ///< different ones of a connection
  double least_share = 0, most_share = 0;  ///< of the queue pair with the least, and the most
  std::optional<double> median_gain;       ///< ConnectionShares::most_gain(), if it is finite
};
/// Returns means over `connections`, which must not be empty.
PathMeans MeansOf(const std::vector<ConnectionShares>& connections);

/// By how much connections were faster than in another result; shares, 0.1 is 10 %.
struct PathGain {
  std::string file;             ///< the other result
  std::size_t connections = 0;  ///< that ended in both; without any the rest is 0
  double mean = 0, p10 = 0, p90 = 0;
  std::size_t slower = 0;  ///< of them: slower here
};
/// Compares the times of the results `here_file` and `there_file`. Throws UserError with the name
/// of the latter if they are of other traffic: other connections, or other bytes of one.
PathGain GainOver(const ConnectionTimes& here, const std::string& here_file,
                  const ConnectionTimes& there, const std::string& there_file);

/// Returns the connections whose shares are furthest from equal, at most `most`, the first of
/// equals first. They are those of the argument, which must outlive them.
std::vector<const ConnectionShares*> FurthestShares(
    const std::vector<ConnectionShares>& connections, std::size_t most);
/// Returns likewise the connections whose weights are furthest apart.
std::vector<const WeighedConnection*> FurthestWeights(
    const std::vector<WeighedConnection>& connections, std::size_t most);

}  // namespace heddle
