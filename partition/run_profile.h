// SPDX-License-Identifier: GPL-2.0-only
/// What a short run found out about the work of each domain: what partitions are weighed by and
/// predictions are made of.
///
/// Domains are those of the run that was profiled, in its order. One more may follow those of the
/// fabric: the central controller, which always lives on rank 0.
#ifndef HEDDLE_PARTITION_RUN_PROFILE_H_
#define HEDDLE_PARTITION_RUN_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "partition/partition.h"

namespace heddle {

struct RunProfile {
  struct Run {
    std::uint32_t domain = 0;
    std::uint32_t events = 0;
  };
  /// One window.
  struct Sample {
    Time start;
    std::vector<Run> runs;  ///< of the domains that had something to do, ascending
  };
  /// Messages from one domain to another, all windows.
  struct Stream {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double messages = 0;
  };

  std::string topology_digest;      ///< of the file that was simulated
  Time contraction;                 ///< DomainOptions::lookahead of the run
  std::uint32_t grain = 1;          ///< DomainOptions::grain of the run
  std::uint32_t grain_ranks = 1;    ///< DomainOptions::ranks of the run; matters to kAutoGrain only
  Time lookahead;                   ///< length of a window, > 0
  std::uint32_t record_bytes = 72;  ///< of a message between ranks
  std::uint64_t windows = 0;
  Time end;                 ///< simulated time that the run came to
  double wall_seconds = 0;  ///< that it took, on `ranks`
  std::uint32_t ranks = 1;
  double edge_ns = 0;          ///< time between two windows, on one rank
  std::vector<double> events;  ///< by domain, all windows
  std::vector<double>
      measured_events;  ///< by domain: events of the windows in which the clock was read ...
  std::vector<double> measured_ns;  ///< ... and the time that they took
  std::vector<Sample> samples;      ///< in the order of time
  std::vector<Stream> streams;      ///< by (from, to)
};

/// The domains that the profile counts. Throws UserError if the graph has others: the profile is of
/// another topology.
Domains DomainsOf(const RunProfile& profile, const Graph& graph);

/// Time of an event in each of the profile's domains [ns], > 0: the mean over all domains of its
/// kind (server, leaf, other switch, controller), as single domains were measured for too short to
/// say.
std::vector<double> EventCosts(const RunProfile& profile, const Graph& graph,
                               const Domains& profiled);

/// For each of the profile's domains (without the controller) the one of `coarser` that holds it.
/// Throws UserError if it is torn: the profile is too coarse.
std::vector<DomainId> Containers(const Domains& profiled, const Domains& coarser);

/// Weights for AssignDomains: time of each domain of `domains` in the profile [us], at least 1.
std::vector<std::int64_t> MeasuredWeights(const RunProfile& profile, const Graph& graph,
                                          const Domains& domains);

}  // namespace heddle

#endif  // HEDDLE_PARTITION_RUN_PROFILE_H_
