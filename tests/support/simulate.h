// SPDX-License-Identifier: GPL-2.0-only
/// Runs a whole simulation in one call, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "core/base/table.h"
#include "core/engine/engine_kind.h"
#include "core/exchange/exchange_kind.h"
#include "core/goal/goal_job.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"
#include "transport/domain/state/transport_options.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/flow_sample.h"
#include "transport/model/replay/replay_figures.h"

namespace heddle::testing {

/// How a simulation is run: domains and ranks, random numbers, legs.
struct RunPlan {
  std::string partitioner = "block";
  std::uint32_t grain = 1;
  std::uint64_t seed = 1;
  /// Interval of the checks of books and of taking monitors [s of wall-clock]; 0: after every
  /// window; negative: at the end only. Domain engine only.
  double check_every = -1;
  FlowSample sample = {};
  /// Simulated times, ascending, at which the run is saved, destroyed and continued in new domains:
  /// in turn with each of the partitioners and, every third leg, on the root alone.
  std::vector<Time> stops = {};
  std::string checkpoint = {};  ///< checkpoint's path: name of a result, which need not exist
  ExchangeKind exchange = ExchangeKind::kAuto;  ///< domain engine only
  EngineKind engine = EngineKind::kDomain;
  /// Above 0: instead of `grain`, as many domains of whole segments; ranks may be left without any.
  std::uint32_t segment_domains = 0;
};

/// Inputs of a simulation besides fabric and traffic. Convertible from options alone.
struct Scenario {
  Scenario(TransportOptions transport = {}, RunPlan how = {}, std::vector<LinkEvent> events = {})
      : options(std::move(transport)), plan(std::move(how)), failures(std::move(events)) {}

  TransportOptions options;
  RunPlan plan;
  std::vector<LinkEvent> failures;
  CollectiveOptions collectives;                    ///< of jobs only
  const std::vector<GoalJob>* schedules = nullptr;  ///< beside jobs; null: none
};

struct Observed {
  Table flows;           ///< at the root
  Table drops;           ///< at the root
  Table ports;           ///< at the root
  Table pause_causes;    ///< at the root
  std::string deadlock;  ///< at the root
  /// At the root: flow_sizes, slowdown_histogram, fct_histogram, tier_load.
  std::vector<Table> statistics;
  std::vector<Table> controller;  ///< at the root: requests and paths; empty without a controller
  std::vector<Table> monitors;    ///< of this rank
  DomainBooks books;
  Time end;          ///< time of the last event; for jobs: of the last program
  Time traffic_end;  ///< time of the traffic's last event
  /// At the root: jobs, ranks, collectives, layers, steps, ranks of schedules; empty for flows.
  std::vector<Table> jobs;
  std::uint64_t flow_digest = 0;     ///< of all ranks
  std::uint64_t events = 0;          ///< of this rank
  ReplayFigures replayed;            ///< of this rank, since the last leg began
  std::vector<std::string> waiting;  ///< jobs: what the unfinished GPUs of this rank wait for
  /// At the root: a cycle of chunks in phases that wait for each other.
  std::vector<std::string> chunk_deadlock;
};

/// Runs on the ranks of `world` (Communicator::Serial() is the reference: one process, no MPI).
/// Requires an Ns3Session of that kind, held by main() (tests/support/session_main.cc for
/// GoogleTest programs).
Observed Simulate(const Graph& graph, const std::vector<FlowRequest>& flows,
                  const Scenario& scenario = {},
                  const Communicator& world = Communicator::Serial());

/// The same for a driver, whose agents post the flows. `driver` must not be used in another run.
Observed SimulateDriven(const Graph& graph, FlowDriver* driver, const Scenario& scenario = {});

}  // namespace heddle::testing
