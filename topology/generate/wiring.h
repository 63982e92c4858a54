// SPDX-License-Identifier: GPL-2.0-only
/// What the templates share; for topology/ only. Symbols: G GPUs, S of a server, N NIC ports of a
/// leaf, P spines. A rail-optimised segment holds N servers and one leaf (or two) a local GPU
/// index; one that is not holds N GPUs and one leaf (or two).
#ifndef HEDDLE_TOPOLOGY_GENERATE_WIRING_H_
#define HEDDLE_TOPOLOGY_GENERATE_WIRING_H_

#include <cstdint>
#include <utility>

#include "topology/generate/fabric_template.h"

namespace heddle {

inline std::uint32_t DivideUp(std::uint64_t n, std::uint64_t d) {
  return static_cast<std::uint32_t>((n + d - 1) / d);
}

/// Adds nodes and cables in SimAI's order.
class WiringBuilder {
 public:
  WiringBuilder(const TemplateOptions& options, std::uint32_t asws);

  /// The cables of GPU `gpu` to its NVSwitches.
  void AddNvLinks(std::uint32_t gpu);
  /// The cable of GPU `gpu` to the leaf with index `asw`.
  void AddNic(std::uint32_t gpu, std::uint32_t asw);
  /// Every leaf in [first_asw, end_asw) to every spine in [first_psw, end_psw), leaf by leaf.
  void AddMesh(std::uint32_t first_asw, std::uint32_t end_asw, std::uint32_t first_psw,
               std::uint32_t end_psw);

  std::uint32_t gpus() const { return wiring_.gpus; }
  std::uint32_t asws() const { return wiring_.asws; }
  std::uint32_t psws() const { return wiring_.psws; }
  Wiring Take() { return std::move(wiring_); }

 private:
  std::uint32_t asw_id(std::uint32_t index) const {
    return wiring_.gpus + wiring_.nvswitches + index;
  }

  std::uint32_t gpus_per_server_, nvswitches_per_server_;
  Wiring wiring_;
};

/// Segments, and leaf of a GPU within its plane of leaves.
inline std::uint32_t RailSegments(const TemplateOptions& o) {
  return DivideUp(o.gpus, std::uint64_t{o.nics_per_asw} * o.gpus_per_server);
}
inline std::uint32_t PlainSegments(const TemplateOptions& o) {
  return DivideUp(o.gpus, o.nics_per_asw);
}
inline std::uint32_t RailLeaf(const TemplateOptions& o, std::uint32_t gpu) {
  const std::uint64_t segment = gpu / (std::uint64_t{o.gpus_per_server} * o.nics_per_asw);
  return static_cast<std::uint32_t>(segment * o.gpus_per_server + gpu % o.gpus_per_server);
}

/// One function a template, each in the file of its name.
Template SpectrumX();
Template AlibabaHpnSinglePlane();
Template AlibabaHpnDualPlane();
Template DcnSingleTor();
Template DcnDualTor();

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GENERATE_WIRING_H_
