// SPDX-License-Identifier: GPL-2.0-only
// The flows of all links, traced once for all sections.
#include <string>

#include "core/base/check.h"
#include "io/collisions/recorded_flows.h"
#include "io/report/report_parts.h"

namespace heddle {

TracedLinks TraceLinks(const ReportSource& source, const ReportLimits& limits) {
  TracedLinks traced;
  traced.unknown = WhyNoPaths(source);
  if (traced.unknown.empty() && source.reader().CountRows("flows") > limits.traced) {
    traced.unknown =
        "there are more flows than the " + std::to_string(limits.traced) + " that are traced";
  }
  if (!traced.unknown.empty()) return traced;
  try {
    traced.times.emplace(source, std::nullopt);
  } catch (const UserError&) {  // two ends that are not connected even without failures
    traced.unknown = "some flows have no path";
  }
  return traced;
}

}  // namespace heddle
