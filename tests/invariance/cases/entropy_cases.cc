// SPDX-License-Identifier: GPL-2.0-only
/// Entropies of packets, chosen by sending NICs: every scheme, with losses and links that fail.
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

Case By(const char* scheme, const Settings& more, std::vector<Proof> proofs) {
  return {std::string("entropy-") + scheme,
          SmallFabric("Spectrum-X"),
          Shifts(4, 180000, MicroSeconds(3)) + Incasts({0, 9}, 90000),
          Set(Tight() + Monitored(true) + Settings{{"entropy.scheme", scheme}} + more),
          {},
          std::move(proofs)};
}

}  // namespace

void AddEntropyCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* scheme, const Settings& more, std::vector<Proof> proofs) {
    cases->push_back({std::string("entropy-") + scheme, [=] { return By(scheme, more, proofs); }});
  };
  const Settings keeps = {{"reliability.reorder", "64"}};
  const Settings repeats =
      Settings{{"reliability.selective_repeat", "true"}, {"reliability.timeout", "60us"}} + keeps;
  add("oblivious", Settings{{"CC_MODE", "3"}} + keeps, {Reordering(), RateChanges()});
  add("bitmap", Settings{{"CC_MODE", "1"}} + repeats, {Reordering(), Marks()});
  add("reps",
      Settings{{"CC_MODE", "8"}, {"link.error_rate", "0.002"}, {"entropy.reps_freeze", "5us"}} +
          repeats,
      {Reordering(), Drops(DropReason::kWireError), Resent()});
  add("mixed", Settings{{"CC_MODE", "0"}, {"entropy.paths", "13"}} + keeps,
      {Reordering(), Pauses()});
  // Its few changes of the path are losses to a go-back-N receiver.
  cases->push_back({"entropy-plb", [=] {
                      Case longer = By("plb",
                                       {{"CC_MODE", "1"},
                                        {"entropy.plb_share", "0.01"},
                                        {"entropy.plb_rounds", "1"},
                                        {"entropy.plb_idle_rounds", "1"},
                                        {"reliability.nack_interval", "5us"}},
                                       {Marks(), Nacks(), Resent()});
                      longer.flows = Shifts(2, 1'800'000, MicroSeconds(3));
                      return longer;
                    }});
  cases->push_back({"entropy-mrc", [=] {
                      Case failing = By("mrc",
                                        Settings{{"CC_MODE", "7"},
                                                 {"failure.convergence", "200us"},
                                                 {"entropy.mrc_probe_interval", "3us"},
                                                 {"entropy.mrc_probes", "1"}} +
                                            repeats,
                                        {Reordering(), Drops(DropReason::kLinkDown), Resent()});
                      failing.failures =
                          ExpandFailures(failing.graph, LinksDownAndUp(failing.graph));
                      return failing;
                    }});
  cases->push_back({"entropy-failures", [=] {
                      Case failing = By("oblivious",
                                        {{"CC_MODE", "1"},
                                         {"reliability.nack_interval", "5us"},
                                         {"reliability.timeout", "60us"},
                                         {"failure.convergence", "7us"}},
                                        {Nacks(), Timeouts(), Drops(DropReason::kLinkDown)});
                      failing.name = "entropy-failures";
                      failing.failures =
                          ExpandFailures(failing.graph, LinksDownAndUp(failing.graph));
                      return failing;
                    }});
}

}  // namespace heddle::invariance
