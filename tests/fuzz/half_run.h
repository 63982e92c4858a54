// SPDX-License-Identifier: GPL-2.0-only
/// A small run, stopped in its middle: fabric, jobs and the state that they were in.
#ifndef HEDDLE_TESTS_FUZZ_HALF_RUN_H_
#define HEDDLE_TESTS_FUZZ_HALF_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/execution/flow_coordinator.h"
#include "collectives/job/job.h"
#include "transport/domain/transport_options.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// Inputs of a run on SmallGraph(): a workload, or flows if there is none.
struct HalfRunInput {
  std::vector<std::pair<const char*, const char*>> options;
  const char* workload = nullptr;
};

class HalfRun {
 public:
  explicit HalfRun(const HalfRunInput& input);

  /// As a run begins, or goes on from a checkpoint.
  struct Parts {
    std::unique_ptr<FlowCoordinator> coordinator;  ///< null without a workload
    std::unique_ptr<Fabric> fabric;
  };
  Parts Make() const;

  /// The state of each domain at `stop`, as checkpoints have it, and what GPUs wrote down together
  /// (empty without a workload).
  struct State {
    std::vector<std::string> domains;
    std::string collectives;
  };
  State RunUntil(Time stop) const;
  /// Loads the state into a run. Throws as restarts do.
  Parts Load(const State& state) const;
  /// What comes before `stop`, in at most so many windows.
  static void GoOn(const Parts& parts, Time stop, std::uint64_t windows);

 private:
  TransportOptions transport_;
  CollectiveOptions collectives_;
  std::vector<Job> jobs_;
};

/// Runs of every congestion control, with and without jobs, controller, losses and monitors: what
/// there is of state.
const std::vector<HalfRun>& HalfRuns();

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_HALF_RUN_H_
