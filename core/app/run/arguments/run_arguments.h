// SPDX-License-Identifier: GPL-2.0-only
/// The command line of `heddle run`, parsed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/base/routing/routing_input.h"
#include "core/app/run/arguments/checkpoint_schedule.h"

namespace heddle {

/// Requests to a language model (core/app/run/arguments/serving_arguments.h reads them).
struct ServingArguments {
  std::string requests;             ///< a file, or a law; empty: none
  std::int64_t first = 0;           ///< requests of a file that are used; 0: all
  double rate_scale = 1;            ///< of the times of a file
  double rate = 0;                  ///< requests/s in the mean; 0: as the law or the file has it
  bool spread = false;              ///< requests of one time evenly until the next time
  std::string slo;                  ///< limits of goodput, as given; empty: none
  std::vector<std::string> deploy;  ///< --deploy: KEY=VALUE, in place of keys of the deployment
};

/// The command line of `heddle run` (core/app/run/arguments/run_flags.h reads it).
struct RunArguments {
  std::string topology, trace, flows, goal, chakra, workload, conf, failures, output, json_log;
  /// `topology` and `conf` were given as files of ASTRA-SIM, and must be such.
  bool astra_network = false, astra_system = false;
  std::vector<std::string> words;   ///< as given, for the log
  std::vector<std::string> jobs;    ///< --job, as given
  std::vector<std::string> plan;    ///< --plan: KEY=VALUE, for all plans among the workloads
  std::vector<std::string> record;  ///< --record, as given
  std::uint32_t passes = 1;         ///< of -w
  std::string deployment;           ///< --serve: what serves a language model
  ServingArguments serving;         ///< its requests
  std::string chakra_groups;        ///< file of groups, for all traces of Chakra
  std::string nccl_log;             ///< file or folder of logs of NCCL
  std::string start_unit = "us";    ///< of --flows with htsim's connections; or "ps"
  std::string engine = "domain", exchange = "auto", partitioner = "block", lookahead = "0ns",
              grain = "auto";
  std::string backend = "packet";   ///< model that carries the traffic
  std::string calibration;          ///< measured values of closed forms
  std::uint32_t gpus_per_rank = 1;  ///< of the backend `physical`
  RoutingArguments routing;
  std::string weights;  ///< profile with the costs of domains
  std::string profile, profile_for, profile_until;
  std::string flush = "auto";  ///< wall-clock time between flushes of the results
  /// Wall-clock time that ranks wait for a rank that hangs, or "never".
  std::string patience = "60s";
  std::uint64_t seed = 1;
  std::vector<std::string> settings;  ///< KEY=VALUE
  CheckpointArguments checkpoint;
  bool force = false, quiet = false;
  bool json = false;  ///< standard output is for one object: nothing else goes there
  bool estimate = false, ignore_memory = false, memory_report = false;
};

}  // namespace heddle
