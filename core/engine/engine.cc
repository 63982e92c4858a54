// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/engine.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

EngineKind ParseEngineKind(const std::string& name) {
  if (name == "domain") return EngineKind::kDomain;
  if (name == "ns3") return EngineKind::kNs3;
  if (name == "ns3-null") return EngineKind::kNs3Null;
  throw UsageError("--engine: found '" + Printable(name) + "'. Expected: domain, ns3 or ns3-null");
}

const char* ToText(EngineKind kind) {
  switch (kind) {
    case EngineKind::kDomain:
      return "domain";
    case EngineKind::kNs3:
      return "ns3";
    case EngineKind::kNs3Null:
      return "ns3-null";
  }
  return "?";
}

double NextReportInterval(const EngineSetup& setup, double cut_seconds) {
  const double rarer = std::min(cut_seconds / setup.cut_share, setup.longest_interval);
  return std::max(setup.report_interval, rarer);
}

}  // namespace heddle
