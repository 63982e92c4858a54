// SPDX-License-Identifier: GPL-2.0-only
/// A case of uet-htsim as heddle runs it, from its name FABRIC-TRAFFIC-PATHS-CONTROL[-SPECIAL].
///
///   FABRIC    uec_fabric.h
///   TRAFFIC   uec_traffic.h
///   PATHS     ecmp, obl, bitmap, reps, mixed: entropy.scheme; a number behind it: entropy.paths,
///             else 64; "repsack1", "mixsack1": an ACK for every packet
///   CONTROL   nscc, rccc, both
///   SPECIAL   failN: slow links (SlowLinks); rr, arpkt, arflow: how
///             switches choose ports (entropies mean nothing then); drop: no trimming; dropsleek:
///             and the sender looks for losses; qN: queues of N packets. A failN may precede
///             another
#pragma once

#include <string>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle::testing {

struct UecCase {
  std::string name;
  Graph graph;
  std::vector<FlowRequest> flows;
  std::vector<LinkEvent> failures;
  std::vector<std::string> settings;  ///< KEY=VALUE
  bool by_luck = false;               ///< all packets of a flow take one path: hash collisions
};

/// Why heddle cannot run this case; empty if it can.
std::string WhyNotMapped(const std::string& name);

/// Throws std::runtime_error if a part of the name is unknown, or the case is not mapped.
UecCase MakeUecCase(const std::string& name);

}  // namespace heddle::testing
