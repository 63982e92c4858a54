// SPDX-License-Identifier: GPL-2.0-only
/// The engines by which a run's domains are executed.
#pragma once

#include <string>

namespace heddle {

enum class EngineKind {
  kDomain,   ///< windows of one lookahead, or two where sides run in turn; heddle's own
             ///< ns3::SimulatorImpl (the default)
  kNs3,      ///< ns-3's DistributedSimulatorImpl: granted time windows
  kNs3Null,  ///< ns-3's NullMessageSimulatorImpl: Chandy-Misra-Bryant null messages
};
/// Parses "domain", "ns3", "ns3-null". Throws UsageError naming the three.
EngineKind ParseEngineKind(const std::string& name);
/// Returns the word that ParseEngineKind() reads.
const char* ToText(EngineKind kind);

}  // namespace heddle
