// SPDX-License-Identifier: GPL-2.0-only
/// Work of each domain, measured in a short run: the basis of partition weights and predictions.
///
/// Domains are those of the profiled run, in its order. After those of the fabric may follow one
/// for the central controller, which is always on rank 0.
#pragma once

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
  /// A sampled window.
  struct Sample {
    Time start;
    std::vector<Run> runs;  ///< of the domains with events in it, ascending
  };
  /// Messages from one domain to another in all windows.
  struct Stream {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double messages = 0;
  };

  std::string topology_digest;      ///< of the simulated file
  Time contraction;                 ///< DomainOptions::lookahead of the run
  std::uint32_t grain = 1;          ///< DomainOptions::grain of the run
  std::uint32_t grain_ranks = 1;    ///< DomainOptions::ranks of the run; matters to kAutoGrain only
  Time lookahead;                   ///< length of a window, > 0
  std::uint32_t record_bytes = 72;  ///< size of a message between ranks
  std::uint64_t windows = 0;
  Time end;                 ///< simulated time at the end of the run
  double wall_seconds = 0;  ///< wall-clock time of the run on `ranks`
  std::uint32_t ranks = 1;
  double edge_ns = 0;          ///< time between two windows, on one rank
  std::vector<double> events;  ///< by domain, in all windows
  std::vector<double>
      /// Number of events in the windows that were timed, and their time, by domain.
      measured_events;
  std::vector<double> measured_ns;
  std::vector<Sample> samples;  ///< in the order of time
  std::vector<Stream> streams;  ///< by (from, to)
};

/// Returns the domains of the profile. Throws UserError if the graph gives others: the profile is
/// of another topology.
Domains DomainsOf(const RunProfile& profile, const Graph& graph);

/// Returns the time of an event in each of the profile's domains [ns], > 0: the mean over all
/// domains of its kind (server, leaf, other switch, controller), as single domains are measured too
/// briefly.
std::vector<double> EventCosts(const RunProfile& profile, const Graph& graph,
                               const Domains& profiled);

/// Returns, for each of the profile's domains (without the controller): the domain of `coarser`
/// that contains it. Throws UserError if none contains it: the profile is too coarse.
std::vector<DomainId> Containers(const Domains& profiled, const Domains& coarser);

/// Weights for AssignDomains: time of each domain of `domains` in the profile [us], at least 1.
std::vector<std::int64_t> MeasuredWeights(const RunProfile& profile, const Graph& graph,
                                          const Domains& domains);

}  // namespace heddle
