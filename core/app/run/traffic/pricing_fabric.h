// SPDX-License-Identifier: GPL-2.0-only
/// A fabric whose collectives are priced by closed forms, with the options that `heddle run
/// --backend analytical` would have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/closed_form/wire_figures.h"
#include "core/app/run/setup/all_options.h"
#include "topology/graph/graph.h"

namespace heddle {

class PricingFabric {
 public:
  /// Reads the fabric of a file. `settings`: "KEY=VALUE" of --set; `like`: of --like, empty for
  /// none. `who` begins messages. Throws UserError for one that no closed form knows, or with file
  /// and line.
  PricingFabric(const std::string& path, const std::vector<std::string>& settings,
                const std::string& like, const char* who);

  const Graph& graph() const { return *graph_; }          ///< the file's; NVSwitches may be joined
  const AllOptions& options() const { return options_; }  ///< as set for this fabric
  const CollectiveOptions& collectives() const { return options_.collectives; }  ///< of them
  WireFigures wire() const;  ///< what closed forms know of packets
  /// Returns what the fabric's reader warns of.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  AllOptions options_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::string> warnings_;
};

}  // namespace heddle
