// SPDX-License-Identifier: GPL-2.0-only
/// Fabrics of servers, leaves and spines, as in SimAI's generator: options, and the differences
/// between the templates.
#pragma once

#include <cstdint>
#include <string>

#include "topology/generate/fabric_plan.h"
#include "topology/generate/server_options.h"

namespace heddle {

/// Parameters of a template, with SimAI's defaults for a fabric without one.
struct LeafSpineOptions : ServerOptions {
  std::uint32_t gpus = 32;
  /// Derived from other options; kept for comparison (TemplateNotes).
  std::uint32_t leaf_switches = 8;
  std::uint32_t nics_per_leaf = 64;   ///< GPU ports of a leaf; sets the size of a segment
  std::uint32_t spine_switches = 64;  ///< total of all planes; 0: leaves are not joined
  std::string leaf_spine_bandwidth = "400Gbps";
  std::uint32_t leaves_per_spine = 64;  ///< leaf ports of a spine; bounds the number of segments
  /// A ratio from which leaves, spines and uplinks are derived (leaf_spine_ratio.h), or kNoRatio.
  std::string oversubscription = "none";
};

/// How leaves and spines are wired.
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
