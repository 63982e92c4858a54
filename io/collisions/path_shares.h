// SPDX-License-Identifier: GPL-2.0-only
/// The findings of `heddle analyze paths` about one result: how the queue pairs of each connection
/// shared its bytes, and over which paths.
///
/// A connection is a sender and a receiver of different servers, of a trace or of a job's channel;
/// a queue pair of it is a source port, as that decides its path. Where connections do not last
/// (collective.connections=message, traces), each message is one.
/// Not counted: connections of a single flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "topology/paths/hop_numbers.h"

namespace heddle {

/// Sender, receiver, job, channel, priority. Of traces job and channel are 0.
using ConnectionName =
    std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint16_t, std::uint8_t>;

struct PathShare {
  std::uint16_t source_port = 0;
  std::int64_t bytes = 0;
  std::vector<Hop> path;  ///< ports of switches; empty if packets of a flow took several paths
};

struct ConnectionShares {
  ConnectionName name;
  std::vector<PathShare> pairs;   ///< by source port; one for each queue pair that sent
  std::uint32_t queue_pairs = 0;  ///< of the connection, also pairs that sent nothing
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  /// From a message's first start to its last end, summed over messages [ps]; -1: one did not end.
  std::int64_t time_ps = 0;

  /// Returns the share of the queue pair with the least bytes, [0, 1]; 0 if one sent nothing.
  double least_share() const;
  /// Returns the share of the queue pair with the most bytes, [0, 1].
  double most_share() const;
  /// How much longer equal shares would have taken at most, as a share of time_ps: if the queue
  /// pair with the least had kept the rate that it had, and it had not been faster with more to
  /// send. 0 if shares are equal; infinite if one sent nothing.
  double most_gain() const;
  /// Returns the number of different paths.
  std::size_t distinct_paths() const;
};

/// The last weights of a connection, of monitor `cast`.
struct WeighedConnection {
  std::uint32_t source = 0, destination = 0, connection = 0;
  std::uint8_t priority = 0;
  std::int64_t updates = 0;
  struct Pair {
    double weight = 0;
    std::int64_t estimate_ps = 0, posted_bytes = 0;
  };
  std::vector<Pair> pairs;  ///< by number
};

/// What a connection carried, whatever its number of queue pairs.
struct ConnectionTime {
  std::int64_t time_ps = 0;  ///< as ConnectionShares::time_ps
  std::int64_t bytes = 0;
};
using ConnectionTimes = std::map<ConnectionName, ConnectionTime>;

struct PathStudy {
  std::string file, scheduler;
  std::vector<std::string> node_names;  ///< by number
  std::uint32_t queue_pairs = 1;
  bool has_flows = false;                     ///< all of them have rows
  bool has_jobs = false;                      ///< flows are of jobs, and have channels
  bool lasts = false;                         ///< a connection has the same ports in all messages
  std::vector<ConnectionShares> connections;  ///< by name, then in order of messages
  std::vector<WeighedConnection> weighed;     ///< by name; empty without the monitor
  ConnectionTimes times;                      ///< of all connections
};

/// Reads a result. Throws UserError with the file's name if it is no result, its connections had
/// one queue pair, or it has neither all its flows nor weights, and says which option records them.
PathStudy StudyPaths(const std::string& file);
/// Returns the times of a result of any number of queue pairs. Throws UserError with the file's
/// name if it is no result or lacks its flows.
ConnectionTimes TimesOfConnections(const std::string& file);

}  // namespace heddle
