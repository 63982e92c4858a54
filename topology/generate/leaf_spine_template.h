// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics of servers, leaves and spines, as in SimAI's generator: options, and the differences
/// between the templates.
#ifndef HEDDLE_TOPOLOGY_GENERATE_LEAF_SPINE_TEMPLATE_H_
#define HEDDLE_TOPOLOGY_GENERATE_LEAF_SPINE_TEMPLATE_H_

#include <cstdint>
#include <string>

#include "topology/generate/fabric_plan.h"

namespace heddle {

/// Parameters of a template, with SimAI's defaults for a fabric without one. Rates, delays and the
/// error rate keep the user's text, because it is copied into the topology file.
struct LeafSpineOptions {
  std::uint32_t gpus = 32;
  std::uint32_t gpus_per_server = 8;
  std::string gpu_type = "H100";
  std::uint32_t nvswitches_per_server = 1;  ///< each is linked to every GPU of its server; may be 0
  std::string nvlink_bandwidth = "2880Gbps";
  std::string nvlink_latency = "0.000025ms";
  std::string bandwidth = "400Gbps";  ///< GPU to leaf; with two leaves a GPU: of each link
  std::string latency = "0.0005ms";   ///< of all links except NVLink
  std::string error_rate = "0";       ///< probability that a packet is lost on a link, in [0, 1)
  /// Derived from other options; kept for comparison (TemplateNotes).
  std::uint32_t leaf_switches = 8;
  std::uint32_t nics_per_leaf = 64;   ///< GPU ports of a leaf; sets the size of a segment
  std::uint32_t spine_switches = 64;  ///< total of all planes; 0: leaves are not joined
  std::string leaf_spine_bandwidth = "400Gbps";
  std::uint32_t leaves_per_spine = 64;  ///< leaf ports of a spine; bounds the number of segments
  /// A ratio from which leaves, spines and uplinks are derived (leaf_spine_ratio.h), or kNoRatio.
  std::string oversubscription = "none";
};

/// A way to wire leaves and spines.
struct LeafSpineTemplate {
  std::string name;
  std::string summary;
  LeafSpineOptions defaults;
  /// Makes the plan; the counts must have been checked.
  FabricPlan (*build)(const LeafSpineOptions& options);
  std::uint32_t (*segments)(const LeafSpineOptions& options);
  std::uint32_t (*leaves_per_segment)(const LeafSpineOptions& options);
  std::uint32_t planes = 1;         ///< number of groups that spines are split into
  std::uint32_t leaves_of_gpu = 1;  ///< links from a GPU to leaves
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GENERATE_LEAF_SPINE_TEMPLATE_H_
