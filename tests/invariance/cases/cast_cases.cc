// SPDX-License-Identifier: GPL-2.0-only
/// Requests and CAST: every scheduler, losses, links that fail, and connections that last.
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle::invariance {
namespace {

Settings Small(const std::string& scheduler) {
  return {{"requests.scheduler", scheduler},
          {"nic.qps_per_connection", "4"},
          {"requests.size", "32768"},
          {"requests.send_recv_size", "16384"},
          {"requests.in_flight", "3"},
          {"cast.split_min", "4096"},
          {"cast.update_interval", "2us"},
          {"cast.reset_interval", "20us"},
          {"cast.tokens", "12"}};
}

/// Messages that become several flows, of those that finish: without the first ones of each.
Proof Divided() {
  return {"flows of divided messages", [](const Results& r) {
            std::int64_t small = 0;
            for (const std::int64_t bytes : GetColumn<std::int64_t>(r.table("flows"), "size_bytes"))
              small += bytes < 180000;
            return small;
          }};
}

Case Requests(const std::string& name, const Settings& more, std::vector<Proof> proofs) {
  return {name,
          SmallFabric("Spectrum-X"),
          Shifts(4, 180000, MicroSeconds(3)) + Incasts({0, 9}, 180000),
          Set(Tight() + Monitored(true) + more),
          {},
          std::move(proofs)};
}

/// Paths that the central controller gives to queue pairs of which some never send.
Proof Granted() {
  return {
      "queue pairs with a path of the controller's", [](const Results& r) {
        std::int64_t granted = 0;
        for (const std::uint32_t request : GetColumn<std::uint32_t>(r.table("flows"), "request"))
          granted += request != ~0U;
        return granted;
      }};
}

/// The central controller gives the paths, the scheduler the bytes.
void AddControlled(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  cases->push_back({"controlled-requests", [] {
                      Case failing =
                          Requests("controlled-requests",
                                   Small("round-robin") + Settings{{"CC_ENABLE", "1"},
                                                                   {"failure.convergence", "10us"},
                                                                   {"reliability.timeout", "20us"}},
                                   {Divided(), Granted(), Drops(DropReason::kLinkDown)});
                      failing.failures =
                          ExpandFailures(failing.graph, LinksDownAndUp(failing.graph));
                      return failing;
                    }});
  cases->push_back({"controlled-cast", [] {
                      return OneJob("controlled-cast", SmallFabric("Spectrum-X"), Training(), {},
                                    Small("cast-stripe") + Tight() + Settings{{"CC_ENABLE", "1"}},
                                    {Collectives(), Divided(), Granted()});
                    }});
}

}  // namespace

void AddCastCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const std::string& name, const Settings& more, std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Requests(name, more, proofs); }});
  };
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) {
    if (scheme.divides && !scheme.measures)
      add(std::string("requests-") + scheme.name, Small(scheme.name), {Marks()});
  }
  add("cast-stripe", Small("cast-stripe") + Settings{{"cast.poll_jitter", "exponential"}},
      {Marks(), Divided()});
  add("cast-wrr", Small("cast-wrr") + Settings{{"CC_MODE", "3"}, {"cast.poll_jitter", "uniform"}},
      {Divided(), RateChanges()});
  add("cast-losses",
      Small("cast-stripe") + Settings{{"link.error_rate", "0.01"}, {"reliability.timeout", "20us"}},
      {Divided(), Resent(), Timeouts()});
  cases->push_back({"cast-failures", [=] {
                      Case failing =
                          Requests("cast-failures",
                                   Small("cast-wrr") + Settings{{"failure.convergence", "10us"},
                                                                {"reliability.timeout", "20us"},
                                                                {"reliability.retry_limit", "3"}},
                                   {Divided(), Drops(DropReason::kLinkDown)});
                      failing.failures =
                          ExpandFailures(failing.graph, LinksDownAndUp(failing.graph));
                      return failing;
                    }});
  cases->push_back(
      {"cast-lasting", [] {
         return OneJob("cast-lasting", SmallFabric("Spectrum-X"), One(8, "ALLTOALL", 900000),
                       {{"collective.connections", "lasting"}},
                       Small("cast-stripe") + Tight() + Settings{{"flow.completion", "received"}},
                       {Collectives(), Divided()});
       }});
  cases->push_back({"cast-training", [] {
                      return OneJob("cast-training", SmallFabric("Spectrum-X"), Training(),
                                    {{"collective.connections", "lasting"}},
                                    Small("cast-wrr") + Tight(), {Collectives(), Divided()});
                    }});
  AddControlled(cases);
}

}  // namespace heddle::invariance
