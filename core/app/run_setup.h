// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle run` was asked to do, and its inputs read and checked.
#ifndef HEDDLE_CORE_APP_RUN_SETUP_H_
#define HEDDLE_CORE_APP_RUN_SETUP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/collective_options.h"
#include "collectives/job.h"
#include "collectives/simai_environment.h"
#include "core/app/checkpoint_schedule.h"
#include "core/communicator.h"
#include "core/engine.h"
#include "core/flow_request.h"
#include "core/options.h"
#include "partition/partition.h"
#include "topology/failures.h"
#include "topology/graph.h"
#include "transport/transport_options.h"

namespace heddle {

/// The command line of `heddle run`.
struct RunArguments {
  std::string topology, trace, flows, workload, conf, failures, output, json_log;
  std::vector<std::string> words;   ///< as given, for the log
  std::vector<std::string> jobs;    ///< --job, as given
  std::vector<std::string> record;  ///< --record, as given
  std::uint32_t passes = 1;         ///< of -w
  std::string engine = "domain", exchange = "auto", partitioner = "block", lookahead = "0ns",
              grain = "auto";
  std::string weights;  ///< profile that says what domains cost
  std::string profile, profile_for, profile_until;
  std::string flush = "auto";    ///< wall-clock time between flushes of the results
  std::string patience = "60s";  ///< wall-clock time that ranks wait for one that hangs, or "never"
  std::uint64_t seed = 1;
  std::vector<std::string> settings;  ///< KEY=VALUE
  CheckpointArguments checkpoint;
  bool force = false, quiet = false;
  bool estimate = false, ignore_memory = false, memory_report = false;
};

/// Parses; returns false if help was printed. Throws UsageError. Whether there is any traffic is
/// left to ResolveTraffic().
bool ParseRunArguments(const std::vector<std::string>& arguments, RunArguments* run);

/// All keys that there are, declared, with their defaults. Stays where it is, as the set points
/// into the two others.
struct AllOptions {
  AllOptions();
  AllOptions(const AllOptions&) = delete;
  AllOptions& operator=(const AllOptions&) = delete;

  TransportOptions transport;
  CollectiveOptions collectives;
  OptionSet options;  ///< bound to the two
};

/// Everything that a run reads, checked. The same on every rank.
struct RunInput : AllOptions {
  std::unique_ptr<Graph> graph;
  std::vector<std::string>
      environment;  ///< variables that were heeded, or known and not used: a line each
  std::vector<std::string> warnings;
  std::vector<FlowRequest> flows;  ///< of a trace
  std::vector<Job> jobs;           ///< instead of flows
  std::vector<LinkEvent> failures;
  DomainOptions cut;
  std::string topology_digest;  ///< known where a profile is read or written
  Domains domains;
  Assignment assignment;
};

/// The root's variables that are heeded (AS_*, NCCL_*, the ECMP controller's), by name, on every
/// rank: launchers do not hand them to other machines. Collective.
Environment SharedEnvironment(const Communicator& world);

/// TRACE_INJECT_FILE of the ECMP controller's specification is a --trace. Throws UsageError if
/// nothing says what to send, or two things do.
void ResolveTraffic(const Environment& environment, RunArguments* run);

/// Reads and checks. Throws Error.
void LoadRun(const RunArguments& run, std::uint32_t ranks, const Environment& environment,
             RunInput* input);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_SETUP_H_
