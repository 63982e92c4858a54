// SPDX-License-Identifier: GPL-2.0-only
/// Options of requests and CAST, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

double CastKnobsLastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}
/// Of a message that nothing hinders.
double Alone(const TransportOptions& o) {
  return CastKnobsLastFct(Simulate(Row({{100}, {100}}), {Flow(0, 1, 3'000'000)}, o));
}
/// Of one of all-to-all.
double AllToAll(const TransportOptions& o) {
  const Graph graph = Row({{100}, {100}});
  return CastKnobsLastFct(SimulateJobs(graph, {MakeJob(graph, "1 ALLTOALL 3000000 DP\n")}, o));
}
/// A hash of all times of messages that meet on the ways of a fabric: for options whose effect has
/// no direction.
double Fingerprint(const TransportOptions& o) {
  const LeafSpine fabric{2, 4, 2};
  std::vector<FlowRequest> flows = Permutation(fabric.hosts(), Bytes{3'000'000}, 3);
  // A second message of each connection, when weights are known.
  for (std::size_t i = 0, first = flows.size(); i < first; ++i) {
    flows.push_back(flows[i]);
    flows.back().start = MicroSeconds(300);
  }
  return static_cast<double>(Digest(Simulate(fabric.Build(), flows, o).flows) >> 12);
}

}  // namespace

std::vector<Knob> CastKnobs() {
  const auto by = [](const char* scheduler, const KnobSettings& more) {
    KnobSettings all = {{"requests.scheduler", scheduler}, {"nic.qps_per_connection", "4"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const KnobSettings one = by("stripe", {{"requests.in_flight", "1"}});
  const KnobSettings small = {{"requests.size", "65536"}, {"cast.split_min", "1024"}};
  const auto stripes = [&](const KnobSettings& more) {
    KnobSettings all = by("cast-stripe", small);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto tokens = [&](const KnobSettings& more) {
    KnobSettings all =
        by("cast-wrr", {{"requests.size", "16384"}, {"cast.update_interval", "20us"}});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  return {
      {"requests.scheduler",
       "message",
       "round-robin",
       Expect::kLess,
       "",
       Fingerprint,
       {{"nic.qps_per_connection", "4"}}},
      {"requests.size", "524288", "65536", Expect::kMore, "more waits for completions", Alone, one},
      {"requests.send_recv_size", "131072", "16384", Expect::kMore, "more waits for completions",
       AllToAll, one},
      {"requests.in_flight", "8", "1", Expect::kMore, "nothing is sent until it is seen complete",
       Alone, by("stripe", {})},
      {"requests.stripe_start", "same", "next", Expect::kLess, "", Fingerprint,
       by("stripe", small)},
      {"cast.estimator", "auto", "tcp", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.weight", "0", "0.5", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.metric", "rccl", "paper", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.metric_floor", "1us", "30us", Expect::kLess, "", Fingerprint,
       stripes({{"cast.metric", "paper"}})},
      {"cast.weights", "filtered", "inverse", Expect::kLess, "", Fingerprint,
       stripes({{"cast.metric", "paper"}})},
      {"cast.reset_interval", "60000", "50us", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.update_interval", "50", "150", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.split_min", "1024", "65536", Expect::kLess, "", Fingerprint, stripes({})},
      {"cast.wrr", "false", "true", Expect::kLess, "", Fingerprint,
       stripes({{"cast.split_min", "65536"}})},
      {"cast.tokens", "100", "8", Expect::kLess, "", Fingerprint, tokens({})},
      {"cast.token_update", "clamp", "keep", Expect::kLess, "", Fingerprint, tokens({})},
      {"cast.probe", "true", "false", Expect::kLess, "", Fingerprint,
       stripes({{"requests.size", "500"},
                {"cast.split_min", "0"},
                {"cast.metric", "paper"},
                {"cast.poll_interval", "0"}})},
      {"cast.poll_interval", "1", "20", Expect::kMore, "completions are seen later", Alone, one},
      {"cast.poll_jitter", "none", "uniform", Expect::kMore, "completions are seen later", Alone,
       one},
      {"cast.poll_jitter_time", "1", "20", Expect::kMore, "completions are seen later", Alone,
       by("stripe", {{"requests.in_flight", "1"}, {"cast.poll_jitter", "exponential"}})},
  };
}

}  // namespace heddle::testing
