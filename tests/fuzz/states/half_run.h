// SPDX-License-Identifier: GPL-2.0-only
/// A small run, stopped half-way: its fabric, jobs and state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/job/job.h"
#include "core/base/memory_account.h"
#include "core/checkpoint/state_archive.h"
#include "core/events/post_office.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/trace_driver.h"
#include "topology/graph/graph.h"
#include "transport/domain/state/transport_options.h"

namespace heddle {

/// Inputs of a run on a small fabric: a workload, or the text of a trace of Chakra (chakra_text.h);
/// flows if there is neither.
struct HalfRunInput {
  std::vector<std::pair<const char*, const char*>> options;
  const char* workload = nullptr;
  bool scale_up = false;  ///< on scale-up links with narrow buffers, not on SmallGraph()
  bool priced = false;    ///< collectives by closed forms, not packets
};

/// What carries a run's traffic, by domains in the order of its post office.
class HalfCarrier {
 public:
  virtual ~HalfCarrier() = default;
  virtual void Drive(FlowDriver* driver) = 0;
  virtual PostOffice& post_office() = 0;
  virtual Time Lookahead() const = 0;
  virtual void Save(std::size_t domain, StateWriter* to) const = 0;
  virtual void Load(std::size_t domain, StateReader* from) = 0;
  virtual void TakeMonitors() = 0;
  virtual void AddMemory(MemoryAccount* account) const = 0;
};

class HalfRun {
 public:
  explicit HalfRun(const HalfRunInput& input);

  /// A run at its start or after a restart.
  struct Parts {
    std::unique_ptr<FlowCoordinator> coordinator;  ///< null without a workload
    std::unique_ptr<TraceDriver> trace;            ///< null with one
    std::unique_ptr<HalfCarrier> carrier;
  };
  Parts Make() const;

  /// The state of each domain at `stop`, as in checkpoints, and the common records of GPUs (empty
  /// without a workload).
  struct State {
    std::vector<std::string> domains;
    std::string collectives;
  };
  State RunUntil(Time stop) const;
  /// Loads the state into a run. Throws as a restart does.
  Parts Load(const State& state) const;
  /// Runs the events before `stop`, in at most this many windows.
  static void GoOn(const Parts& parts, Time stop, std::uint64_t windows);

 private:
  const Graph* graph_;
  bool priced_;
  TransportOptions transport_;
  CollectiveOptions collectives_;
  std::vector<Job> jobs_;
};

/// Runs of every congestion control, with and without jobs, controller, losses and monitors; with
/// requests, entropies, Ultra Ethernet, phases, scale-up links and closed forms, to cover
/// all state.
const std::vector<HalfRun>& HalfRuns();

}  // namespace heddle
