// SPDX-License-Identifier: GPL-2.0-only
/// Packets of one flow on many paths: by switches, and receivers that bear it.
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

/// Ports of switches with a queue of their own each, on paths that meet.
Case Sprayed(const std::string& name, const Settings& more, std::vector<Proof> proofs) {
  return {name,
          SmallFabric("Spectrum-X"),
          Shifts(4, 180000, MicroSeconds(3)) + Incasts({0, 9}, 90000),
          Set(Tight() + Monitored(true) + more),
          {},
          std::move(proofs)};
}

}  // namespace

void AddBalanceCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const Settings& more, std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Sprayed(name, more, proofs); }});
  };
  const Settings go_back = {{"reliability.nack_interval", "5us"}};
  const Settings keeps = {{"reliability.reorder", "64"}};
  // A go-back-N receiver takes what spraying does for losses.
  add("spray-go-back-n", Settings{{"balance.ports", "random"}, {"CC_MODE", "1"}} + go_back,
      {Nacks(), Resent()});
  add("spray-random", Settings{{"balance.ports", "random"}, {"CC_MODE", "3"}} + keeps,
      {Reordering(), RateChanges()});
  add("spray-round-robin",
      Settings{{"balance.ports", "round-robin"},
               {"CC_MODE", "1"},
               {"reliability.selective_repeat", "true"}} +
          keeps,
      {Reordering(), Marks()});
  add("spray-adaptive",
      Settings{{"balance.ports", "adaptive"}, {"balance.grade_full", "100000"}, {"CC_MODE", "0"}} +
          keeps,
      {Reordering(), Pauses()});
  add("flowlets",
      Settings{{"balance.ports", "flowlet"}, {"balance.flowlet_gap", "300ns"}, {"CC_MODE", "7"}} +
          keeps,
      {Reordering()});
  add("adaptive-flowlets",
      Settings{{"balance.ports", "adaptive-flowlet"},
               {"balance.flowlet_gap", "300ns"},
               {"balance.grade_full", "100000"},
               {"balance.levels", "1"},
               {"CC_MODE", "1"}} +
          keeps,
      {Marks()});
  add("weighted-hash", {{"balance.weighted", "true"}, {"CC_MODE", "1"}}, {Marks()});
}

}  // namespace heddle::invariance
