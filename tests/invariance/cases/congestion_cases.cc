// SPDX-License-Identifier: GPL-2.0-only
/// Every congestion control under incasts that pause ports and mark packets.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

Case Congested(const std::string& name, const std::string& fabric, const std::string& mode,
               const Settings& more, std::vector<Proof> proofs) {
  Settings settings = Tight() + Monitored(true) + Settings{{"CC_MODE", mode}};
  return {
      name, SmallFabric(fabric), Incasts({0, 9, 18}, 250000) + MeetingFlows(), Set(settings + more),
      {},   std::move(proofs)};
}

}  // namespace

void AddCongestionCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const char* fabric, const char* mode, const Settings& more,
                       std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Congested(name, fabric, mode, more, proofs); }});
  };
  add("none", "Spectrum-X", "0", {}, {Pauses()});
  // Short timers, so that a short case sees increases too.
  add("dcqcn", "AlibabaHPN-DualPlane", "1", {{"RP_TIMER", "10"}},
      {Pauses(), Marks(), RateChanges()});
  add("dcqcn-alone", "DCN-SingleToR", "1", {{"pfc.enabled", "false"}, {"switch.alpha_shift", "3"}},
      {Marks(), RateChanges()});
  add("hpcc", "Spectrum-X", "3", {}, {Pauses(), RateChanges()});
  add("hpcc-dual", "DCN-DualToR", "3", {}, {Pauses(), RateChanges()});
  // TIMELY's thresholds suit round trips of a data centre; here they are scaled to this fabric.
  add("timely", "DCN-SingleToR", "7",
      {{"timely.low", "8us"}, {"timely.high", "30us"}, {"timely.minimum_rtt", "5us"}},
      {Pauses(), RateChanges()});
  add("dctcp", "AlibabaHPN-DualPlane", "8", {}, {Pauses(), Marks(), RateChanges()});
  add("pint", "DCN-SingleToR", "10", {}, {Pauses(), RateChanges()});
}

}  // namespace heddle::invariance
