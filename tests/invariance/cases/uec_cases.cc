// SPDX-License-Identifier: GPL-2.0-only
/// Ultra Ethernet: windows, credit, trimming, losses, order, and RoCE beside it.
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

Case Ultra(const std::string& name, const Settings& more, std::vector<Proof> proofs) {
  return {name,
          SmallFabric("Spectrum-X"),
          Shifts(4, 180000, MicroSeconds(3)) + Incasts({0, 9}, 200000),
          Set(Settings{{"transport.protocol", "uec"}} + Monitored(true) + more),
          {},
          std::move(proofs)};
}

}  // namespace

void AddUecCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const Settings& more, std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Ultra(name, more, proofs); }});
  };
  const Settings small = {{"uec.queue_limit", "0.3"}, {"uec.kmin", "0.05"}, {"uec.kmax", "0.2"}};
  add("uec-nscc", small, {Reordering(), Nacks(), Trims(), Marks(), Resent()});
  add("uec-rccc", Settings{{"uec.congestion", "rccc"}, {"uec.oversubscribed", "on"}} + small,
      {Reordering(), Trims()});
  add("uec-both", Settings{{"uec.congestion", "both"}, {"entropy.scheme", "reps"}} + small,
      {Trims(), Marks()});
  add("uec-in-order", Settings{{"uec.mode", "rod"}} + small, {Nacks(), Resent()});
  add("uec-drops",
      Settings{{"uec.trimming", "false"}, {"uec.sleek", "true"}, {"entropy.scheme", "bitmap"}} +
          small,
      {Drops(DropReason::kBufferFull), Resent()});
  add("uec-mrc",
      Settings{{"link.error_rate", "0.01"},
               {"entropy.scheme", "mrc"},
               {"entropy.mrc_probe_interval", "5us"},
               {"balance.ports", "adaptive"}} +
          small,
      {Drops(DropReason::kWireError), Timeouts()});
  cases->push_back({"uec-mixed", [=] {
                      Case mixed = Ultra("uec-mixed",
                                         Settings{{"transport.protocol", "mixed"},
                                                  {"transport.uec_priority", "4"}} +
                                             Tight() + small,
                                         {Trims(), Pauses(), Marks()});
                      for (std::size_t i = 0; i < mixed.flows.size(); i += 2)
                        mixed.flows[i].priority = 4;
                      return mixed;
                    }});
  cases->push_back(
      {"uec-failures", [=] {
         Case failing =
             Ultra("uec-failures",
                   Settings{{"uec.congestion", "both"}, {"failure.convergence", "10us"}} + small,
                   {Timeouts(), Drops(DropReason::kLinkDown)});
         failing.failures = ExpandFailures(failing.graph, LinksDownAndUp(failing.graph));
         return failing;
       }});
}

}  // namespace heddle::invariance
