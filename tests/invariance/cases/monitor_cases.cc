// SPDX-License-Identifier: GPL-2.0-only
/// Every kind of monitor, at intervals and on change, from the start and from a later time.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {

void AddMonitorCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const Settings& settings) {
    cases->push_back(
        {name, [name, settings] {
           std::vector<Proof> rows;
           for (const char* monitor :
                {"monitors/queues", "monitors/links", "monitors/rates", "monitors/cnps", "pfc"}) {
             rows.push_back(Rows(monitor));
           }
           return Case{name,
                       SmallFabric("DCN-SingleToR"),
                       Incasts({0, 9, 18}, 250000) + MeetingFlows(),
                       Set(Tight() + Settings{{"CC_MODE", "1"}, {"RP_TIMER", "10"}} + settings),
                       {},
                       rows};
         }});
  };
  add("monitors", Monitored(false));
  add("monitors-late", Monitored(false) + Settings{{"monitor.start", "7us"}});
  // Intervals that coincide with events to the picosecond: a packet of 9052 bytes takes 181.04 ns
  // at 400 Gbps.
  add("monitors-meet", Monitored(false) + Settings{{"monitor.queue_interval", "181040ps"},
                                                   {"monitor.link_interval", "20ns"},
                                                   {"monitor.pair_interval", "500ns"}});
  add("monitors-auto", Settings{{"monitor.kinds", "all"}});
  add("monitors-on-change", Monitored(true) + Settings{{"monitor.start", "3us"}});
}

}  // namespace heddle::invariance
