// SPDX-License-Identifier: GPL-2.0-only
/// Lost packets, and the ways to deliver their data nevertheless.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

Case Lossy(const std::string& name, const std::string& fabric, const std::string& rate,
           const Settings& more, std::vector<Proof> proofs) {
  return {name,
          SmallFabric(fabric, rate),
          Shifts(4, 180000, MicroSeconds(3)),
          Set(Tight() + Impatient() + Monitored(true) + more),
          {},
          std::move(proofs)};
}

}  // namespace

void AddLossCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const char* fabric, const char* rate, const Settings& more,
                       std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Lossy(name, fabric, rate, more, proofs); }});
  };
  const Proof errors = Drops(DropReason::kWireError);
  const Settings selective = {{"reliability.selective_repeat", "true"}};
  add("go-back-n", "Spectrum-X", "0.004", {{"CC_MODE", "1"}},
      {errors, Nacks(), Timeouts(), Resent(), Duplicates()});
  add("go-back-n-hpcc", "DCN-SingleToR", "0.004", {{"CC_MODE", "3"}},
      {errors, Nacks(), Timeouts(), Resent(), RateChanges()});
  add("back-to-zero", "AlibabaHPN-DualPlane", "0.002",
      {{"CC_MODE", "0"},
       {"L2_BACK_TO_ZERO", "1"},
       {"L2_CHUNK_SIZE", "36000"},
       {"L2_ACK_INTERVAL", "18000"}},
      {errors, Nacks(), Timeouts(), Resent()});
  add("selective", "AlibabaHPN-DualPlane", "0.004", Settings{{"CC_MODE", "8"}} + selective,
      {errors, Nacks(), Timeouts(), Resent()});
  add("selective-hpcc", "DCN-DualToR", "0.004", Settings{{"CC_MODE", "3"}} + selective,
      {errors, Nacks(), Timeouts(), Resent(), RateChanges()});
  add("selective-pint", "Spectrum-X", "0.01", Settings{{"CC_MODE", "10"}} + selective,
      {errors, Nacks(), Timeouts(), Resent()});
  // Full buffers drop: no PFC, no headroom.
  add("tail-drop", "DCN-SingleToR", "0",
      {{"CC_MODE", "1"},
       {"pfc.enabled", "false"},
       {"switch.headroom_factor", "0"},
       {"switch.alpha_shift", "9"}},
      {Drops(DropReason::kBufferFull), Nacks(), Resent()});

  // Pause and resume frames are lost as well: pauses are renewed, and expire.
  cases->push_back({"lossy-pfc", [] {
                      const Settings settings = {{"CC_MODE", "0"},
                                                 {"pfc.pause_time", "2us"},
                                                 {"reliability.timeout", "200us"}};
                      return Case{"lossy-pfc",
                                  SmallFabric("Spectrum-X", "0.03"),
                                  Incasts({0, 9, 18}, 180000),
                                  Set(Tight() + Impatient() + Monitored(true) + settings),
                                  {},
                                  {Drops(DropReason::kWireError), Pauses(),
                                   ExpiredPauses(MicroSeconds(2)), RenewedPauses(MicroSeconds(2))}};
                    }});
}

}  // namespace heddle::invariance
