// SPDX-License-Identifier: GPL-2.0-only
/// Builds the plan of a fabric of servers and switches, cable by cable, and checks its size before.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "topology/generate/fabric_plan.h"
#include "topology/generate/server_options.h"

namespace heddle {

/// Returns n / d, rounded up. The result must fit into 32 bits.
inline std::uint32_t DivideUp(std::uint64_t n, std::uint64_t d) {
  return static_cast<std::uint32_t>((n + d - 1) / d);
}

/// Throws UserError unless `gpus` (-g) are whole servers (-gps).
void CheckWholeServers(const std::string& fabric, std::uint32_t gpus, const ServerOptions& servers);

/// Counts of a fabric to be built. Products of options may be larger than any integer.
struct FabricSize {
  double gpus = 0, switches = 0;
  double nics = 0;    ///< cables between GPUs and switches
  double cables = 0;  ///< cables between switches
};

/// Throws UserError for more nodes than kMaxNodes or more links than kMaxLinks, those of the
/// servers' NVSwitches among them. Call it before anything is allocated.
void CheckSize(const std::string& fabric, const ServerOptions& servers, const FabricSize& size);

/// Adds cables in the order of the file.
class PlanBuilder {
 public:
  enum : std::uint8_t { kNvLink, kNic };  ///< types that every plan has

  /// Servers have equal numbers of GPUs.
  PlanBuilder(const ServerOptions& servers, std::uint32_t gpus, std::uint32_t switches);

  /// Adds a type of cable and returns its index.
  std::uint8_t AddType(const std::string& rate, const std::string& delay);

  /// Adds the cables from GPU `gpu` to its NVSwitches.
  void AddNvLinks(std::uint32_t gpu);
  /// Adds the cable from GPU `gpu` to switch number `index`.
  void AddNic(std::uint32_t gpu, std::uint32_t index);
  /// Adds `count` cables between two switches, given by number.
  void AddCables(std::uint32_t a, std::uint32_t b, std::uint8_t type, std::uint32_t count = 1);

  /// Returns the plan so far.
  const FabricPlan& plan() const { return plan_; }
  /// Moves the plan out; the builder is empty then.
  FabricPlan Take() { return std::move(plan_); }

 private:
  /// Returns the node id of switch number `index`, from 0.
  std::uint32_t id_of(std::uint32_t index) const { return plan_.gpus + plan_.nvswitches + index; }

  std::string error_rate_;
  std::uint32_t nvswitches_per_server_;
  FabricPlan plan_;
};

}  // namespace heddle
