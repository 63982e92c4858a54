// SPDX-License-Identifier: GPL-2.0-only
/// A whole simulation in one call, for tests.
#ifndef HEDDLE_TESTS_SUPPORT_SIMULATE_H_
#define HEDDLE_TESTS_SUPPORT_SIMULATE_H_

#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/base/table.h"
#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"
#include "transport/fabric/fabric.h"

namespace heddle::testing {

struct Cut {
  std::string partitioner = "block";
  std::uint32_t grain = 1;
  std::uint64_t seed = 1;
  /// Books are checked and monitors taken so often [s of wall-clock]; 0: after every window;
  /// negative: at the end only. heddle's engine only.
  double check_every = -1;
  FlowSample sample = {};
  /// Simulated times, ascending, at which the run is saved and thrown away, and goes on in fresh
  /// domains: legs in turn by one of the partitioners and, every third, on the root alone.
  std::vector<Time> stops = {};
  std::string checkpoint = {};  ///< where it is saved: the name of a result that need not exist
  ExchangeKind exchange = ExchangeKind::kAuto;  ///< heddle's engine only
};

struct Outcome {
  Table flows;           ///< at the root
  Table drops;           ///< at the root
  Table ports;           ///< at the root
  Table pause_causes;    ///< at the root
  std::string deadlock;  ///< at the root
  std::vector<Table>
      statistics;  ///< at the root: flow_sizes, slowdown_histogram, fct_histogram, tier_load
  std::vector<Table> controller;  ///< at the root: requests and paths; empty without a controller
  std::vector<Table> monitors;    ///< of this rank
  DomainBooks books;
  Time end;  ///< of the last event; of jobs: of the last program
  std::vector<Table>
      jobs;  ///< at the root: jobs, ranks, collectives, layers, steps; empty for flows
  std::uint64_t flow_digest = 0;     ///< of all ranks
  std::vector<std::string> waiting;  ///< jobs: what the GPUs of this rank that did not end wait for
};

/// Run on the ranks of `world` (Communicator::Serial() is the oracle: one process, no MPI).
/// Requires an Ns3Session of that kind, held by main() (tests/support/session_main.cc for
/// GoogleTest programs).
Outcome Simulate(const Graph& graph, const std::vector<FlowRequest>& flows,
                 const TransportOptions& options = {}, const Cut& cut = {},
                 EngineKind kind = EngineKind::kDomain,
                 const Communicator& world = Communicator::Serial(),
                 const std::vector<LinkEvent>& failures = {});

/// The same for jobs, whose collectives post the flows.
Outcome SimulateJobs(const Graph& graph, const std::vector<Job>& jobs,
                     const CollectiveOptions& collectives = {},
                     const TransportOptions& options = {}, const Cut& cut = {},
                     EngineKind kind = EngineKind::kDomain,
                     const Communicator& world = Communicator::Serial(),
                     const std::vector<LinkEvent>& failures = {});

/// The same for what a driver's agents post. `driver` must have been used in no other run.
Outcome SimulateDriven(const Graph& graph, FlowDriver* driver, const TransportOptions& options = {},
                       const Cut& cut = {});

/// A job from the text of a workload file, on GPUs in the order of ranks (none: all of them).
Job MakeJob(const Graph& graph, const std::string& workload, std::vector<NodeId> gpus = {},
            Time start = {}, std::uint32_t passes = 1);

}  // namespace heddle::testing

#endif  // HEDDLE_TESTS_SUPPORT_SIMULATE_H_
