// SPDX-License-Identifier: GPL-2.0-only
/// A case of the invariance suite: a fabric, traffic, settings, failures; and the proof that its
/// mechanism acts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/goal/goal_job.h"
#include "core/serving/model/serving_request.h"
#include "core/serving/serving_plan.h"
#include "core/traffic/flow_request.h"
#include "tests/support/results.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"
#include "transport/domain/state/transport_options.h"
#include "transport/model/record/flow_sample.h"

namespace heddle::invariance {

using testing::Results;
using testing::RowCount;

/// A figure of the serial run that must be above 0; otherwise the case does not exercise its
/// mechanism.
struct Proof {
  std::string what;
  std::function<std::int64_t(const Results&)> count;
};

struct Case {
  std::string name;
  Graph graph;
  std::vector<FlowRequest> flows;
  TransportOptions options;
  std::vector<LinkEvent> failures;
  std::vector<Proof> proofs;
  std::vector<Job> jobs = {};  ///< used instead of flows
  CollectiveOptions collectives = {};
  FlowSample sample = {};               ///< selects the finished flows that get rows
  std::vector<GoalJob> schedules = {};  ///< beside jobs, or alone, instead of flows
  ServingPlan serving = {};
  ServingRequests requests = {};  ///< of `serving`; if there are any, used instead of flows
};

/// A case's name and its maker; cases are made when they run.
struct CaseMaker {
  std::string name;
  std::function<Case()> make;
};

/// Each function is in a file of its own.
/// Templates without congestion control and losses.
void AddFabricCases(std::vector<CaseMaker>* cases);
void AddCongestionCases(std::vector<CaseMaker>* cases);  ///< every CC_MODE, ECN, PFC
/// Wire errors, full buffers; go-back-N and selective repeat.
void AddLossCases(std::vector<CaseMaker>* cases);
/// Links and nodes that go down, come back, slow down.
void AddFailureCases(std::vector<CaseMaker>* cases);
/// Queue pairs, weights, priorities, NVSwitches as ends.
void AddHostCases(std::vector<CaseMaker>* cases);
/// Long flows in steady states.
void AddReplayCases(std::vector<CaseMaker>* cases);
void AddMonitorCases(std::vector<CaseMaker>* cases);  ///< every kind of monitor
/// Every algorithm, training steps, jobs that share a fabric.
void AddCollectiveCases(std::vector<CaseMaker>* cases);
/// Steps of plans that exchange under their computing.
void AddPlanCases(std::vector<CaseMaker>* cases);
/// The central controller: conflicts, waits, links that change.
void AddControllerCases(std::vector<CaseMaker>* cases);
/// Packets of one flow on many paths.
void AddBalanceCases(std::vector<CaseMaker>* cases);
/// The same by entropies.
void AddEntropyCases(std::vector<CaseMaker>* cases);
/// Ultra Ethernet.
void AddUecCases(std::vector<CaseMaker>* cases);
/// Requests and CAST.
void AddCastCases(std::vector<CaseMaker>* cases);
/// Scale-up links.
void AddScaleUpCases(std::vector<CaseMaker>* cases);
/// DLRMs, layers with policies of their own.
void AddTrainingLoopCases(std::vector<CaseMaker>* cases);
/// Traces of Chakra.
void AddChakraCases(std::vector<CaseMaker>* cases);
/// Requests to a language model.
void AddServingCases(std::vector<CaseMaker>* cases);
/// Schedules in GOAL, alone and beside jobs.
void AddGoalCases(std::vector<CaseMaker>* cases);

std::vector<CaseMaker> AllCases();

using Settings = std::vector<std::pair<std::string, std::string>>;
/// Returns the options with these keys set, as --set does.
TransportOptions Set(const Settings& settings);
/// ECN that marks early (20 to 100 KB whatever the rate), and PFC that pauses at about 32 KB.
Settings Tight();
/// Timeouts so short that they fire.
Settings Impatient();
/// All monitors with short intervals; `on_change` for those that support it.
Settings Monitored(bool on_change);
Settings operator+(Settings first, const Settings& second);

namespace proofs {
Proof Marks();
Proof Pauses();
Proof RateChanges();  ///< needs the monitor of rates, on change
Proof Nacks();
Proof Timeouts();
Proof Resent();
Proof Duplicates();
Proof Trims();
Proof Reordering();  ///< packets that were held above a missing one
Proof Drops(DropReason reason);
Proof Flows(FlowState state);  ///< flows that ended in this state
Proof Rows(const std::string& monitor);
/// Pauses that ended by themselves because their resume frame was lost: they last a pause time
/// after a whole number of renewals, to the picosecond (no frame had to wait). And pauses that were
/// renewed. Both need the monitor pfc.
Proof ExpiredPauses(Time pause_time);
Proof RenewedPauses(Time pause_time);
}  // namespace proofs

}  // namespace heddle::invariance
