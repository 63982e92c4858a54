// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle congestion --json` prints.
#pragma once

#include <string>

#include "core/app/studies/congestion/packet_check.h"
#include "core/app/studies/congestion/queue_pair_split.h"
#include "core/app/studies/congestion/route_check.h"
#include "core/app/studies/static_study/congestion_study.h"
#include "io/table/json_document.h"
#include "topology/load/route_quality.h"

namespace heddle {

/// Returns the object of --json without its parts, which are null: "study", "queue_pairs",
/// "packets", "route_check" and "route_quality". `source`: name of the network; `routes`: which
/// were counted.
OrderedJson CongestionDocument(const std::string& source, const std::string& routes);

/// Returns the figures of CongestionText().
OrderedJson StudyJson(const StaticPaths& paths, const CongestionRequest& request,
                      const CongestionStudy& study);
/// Returns the figures of QueuePairText(), for "queue_pairs".
OrderedJson QueuePairsJson(const QueuePairSplit& split);
OrderedJson PacketsJson(const StaticPaths& paths, const PacketCheck& check);
OrderedJson RouteCheckJson(const RouteCheck& check);
OrderedJson RouteQualityJson(const RouteQuality& quality);

}  // namespace heddle
