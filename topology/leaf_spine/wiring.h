// SPDX-License-Identifier: GPL-2.0-only
/// Code shared by the templates of leaves and spines; for this folder only. Symbols: G GPUs, S GPUs
/// of a server, N NIC ports of a leaf, P spines. A rail-optimised segment has N servers and one
/// leaf (or two) for each local GPU index; any other segment has N GPUs and one leaf (or two).
#pragma once

#include <cstdint>

#include "topology/generate/plan_builder.h"
#include "topology/leaf_spine/leaf_spine_template.h"

namespace heddle {

/// Adds nodes and cables in SimAI's order.
class WiringBuilder {
 public:
  /// Numbers `leaves` leaves from 0; their spines follow in the plan.
  WiringBuilder(const LeafSpineOptions& options, std::uint32_t leaves);

  /// Adds the cables from GPU `gpu` to its NVSwitches.
  void AddNvLinks(std::uint32_t gpu) { builder_.AddNvLinks(gpu); }
  /// Adds the cable from GPU `gpu` to leaf number `leaf`.
  void AddNic(std::uint32_t gpu, std::uint32_t leaf) { builder_.AddNic(gpu, leaf); }
  /// Links every leaf in [first_leaf, end_leaf) to every spine in [first_spine, end_spine), leaf by
  /// leaf.
  void AddMesh(std::uint32_t first_leaf, std::uint32_t end_leaf, std::uint32_t first_spine,
               std::uint32_t end_spine);

  /// Returns the number of GPUs of the fabric.
  std::uint32_t gpus() const { return builder_.plan().gpus; }
  /// Returns the number of leaves, of all planes.
  std::uint32_t leaves() const { return leaves_; }
  /// Returns the number of spines, of all planes.
  std::uint32_t spines() const { return builder_.plan().switches - leaves_; }
  /// Returns the plan with its tiers. Call it once.
  FabricPlan Take();

 private:
  std::uint32_t leaves_;
  PlanBuilder builder_;
  std::uint8_t fabric_type_;
};

/// Returns the number of rail-optimised segments: G / (N S), rounded up.
inline std::uint32_t RailSegments(const LeafSpineOptions& o) {
  return DivideUp(o.gpus, std::uint64_t{o.nics_per_leaf} * o.gpus_per_server);
}
/// Returns the number of other segments: G / N, rounded up.
inline std::uint32_t PlainSegments(const LeafSpineOptions& o) {
  return DivideUp(o.gpus, o.nics_per_leaf);
}
/// Returns the leaf of a GPU within its plane of leaves, where segments are rail-optimised.
inline std::uint32_t RailLeaf(const LeafSpineOptions& o, std::uint32_t gpu) {
  const std::uint64_t segment = gpu / (std::uint64_t{o.gpus_per_server} * o.nics_per_leaf);
  return static_cast<std::uint32_t>(segment * o.gpus_per_server + gpu % o.gpus_per_server);
}

/// Returns rails, one leaf a GPU. Each template is in the file of its name.
LeafSpineTemplate SpectrumX();
/// Returns rails, two leaves a GPU, all leaves to all spines.
LeafSpineTemplate AlibabaHpnSinglePlane();
/// Returns rails, two leaves a GPU in two planes that never meet.
LeafSpineTemplate AlibabaHpnDualPlane();
/// Returns one leaf for all GPUs of a server.
LeafSpineTemplate DcnSingleTor();
/// Returns two leaves for all GPUs of a server.
LeafSpineTemplate DcnDualTor();

}  // namespace heddle
