// SPDX-License-Identifier: GPL-2.0-only
/// A case of the invariance suite: a fabric, traffic, settings, failures; and the proof that its
/// mechanism acts.
#ifndef HEDDLE_TESTS_INVARIANCE_CASE_H_
#define HEDDLE_TESTS_INVARIANCE_CASE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/traffic/flow_request.h"
#include "tests/invariance/results.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"
#include "transport/domain/transport_options.h"
#include "transport/record/flow_sample.h"

namespace heddle::invariance {

/// A figure of the serial run that must be above 0: a case that does not stir what it is about
/// tests nothing.
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
  std::vector<Job> jobs = {};  ///< instead of flows
  CollectiveOptions collectives = {};
  FlowSample sample = {};  ///< of the flows that finish: those with rows
};

/// Cases are made when they run: each is a name and a function.
struct CaseMaker {
  std::string name;
  std::function<Case()> make;
};

/// One file each.
void AddFabricCases(
    std::vector<CaseMaker>* cases);  ///< templates, no congestion control, nothing lost
void AddCongestionCases(std::vector<CaseMaker>* cases);  ///< every CC_MODE, ECN, PFC
void AddLossCases(
    std::vector<CaseMaker>* cases);  ///< wire errors, full buffers; go-back-N and selective repeat
void AddFailureCases(
    std::vector<CaseMaker>* cases);  ///< links and nodes that go down, come back, slow down
void AddHostCases(
    std::vector<CaseMaker>* cases);  ///< queue pairs, weights, priorities, NVSwitches as ends
void AddMonitorCases(std::vector<CaseMaker>* cases);  ///< every kind of monitor
void AddCollectiveCases(
    std::vector<CaseMaker>* cases);  ///< every algorithm, training steps, jobs that share a fabric
void AddControllerCases(std::vector<CaseMaker>* cases);  ///< the central controller: conflicts,
                                                         ///< waits, links that change

std::vector<CaseMaker> AllCases();

using Settings = std::vector<std::pair<std::string, std::string>>;
/// The options with these keys set, as --set does.
TransportOptions Set(const Settings& settings);
/// ECN that marks early (20 to 100 KB whatever the rate), and PFC that pauses at about 32 KB.
Settings Tight();
/// All monitors, short intervals; `on_change` for those that know it.
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
Proof Drops(DropReason reason);
Proof Flows(FlowState state);  ///< that ended so
Proof Rows(const std::string& monitor);
/// Pauses that ended by themselves, their resume frame being lost: as long as a pause time after a
/// whole number of renewals, to the picosecond (a frame had to wait for nobody); and pauses that
/// were renewed. Both need the monitor pfc.
Proof ExpiredPauses(Time pause_time);
Proof RenewedPauses(Time pause_time);
}  // namespace proofs

}  // namespace heddle::invariance

#endif  // HEDDLE_TESTS_INVARIANCE_CASE_H_
