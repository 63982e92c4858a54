// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/recorded_flows.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/base/printable.h"
#include "io/collisions/flow_paths.h"

namespace heddle {

std::string RecordedFlows(const ResultReader& result) {
  for (const Attribute& attribute : result.ReadAttributes()) {
    const auto* text = std::get_if<std::string>(&attribute.value);
    if (attribute.name == "flows_recorded" && text != nullptr) return *text;
  }
  return "all";
}

std::string WhyNoPaths(const ReportSource& source) {
  if (!source.carries_flows()) return "closed forms have no flows";
  if (RecordedFlows(source.reader()) != "all" || !source.HasRows("flows"))
    return "the result does not have all flows; --record flows=all keeps them";
  if (std::string why = WhyNoLanes(source.root()); !why.empty()) return why;
  const std::string sprayed = SprayedBy(source.reader());
  return sprayed.empty() ? "" : "packets of a flow take several paths (" + sprayed + ")";
}

void WarnOfMissingFlows(const std::string& file, const ResultReader& result) {
  const std::string recorded = RecordedFlows(result);
  if (recorded == "all") return;
  std::string rows = "only flows that did not finish";
  if (recorded != "none")
    rows = fmt::format("one in {} of the flows that finished",
                       recorded.substr(recorded.find(':') + 1));
  std::fprintf(stderr,
               "heddle: warning: %s: /flows has %s; all of them: heddle run --record flows=all\n",
               PrintableLines(file).c_str(), rows.c_str());
}

}  // namespace heddle
