// SPDX-License-Identifier: GPL-2.0-only
/// `heddle topo HierarchicalTorus` and `heddle topo HierarchicalAllToAll`: the scale-up fabrics of
/// ASTRA-SIM's paper, written as network files of ASTRA-SIM 1.0, which `heddle run` reads.
///
/// Source: Rashidi et al., "ASTRA-SIM", ISPASS 2020, section III-B; the defaults are Table IV.
#pragma once

#include <string>
#include <vector>

#include "core/app/views/inspect/template_flags.h"
#include "topology/scale_up/scale_up_network.h"

namespace heddle {

/// What such a command line asks for.
struct ScaleUpTopo {
  ScaleUpNetwork network;
  std::string output;  ///< -o FILE; empty if not given
  bool force = false;  ///< --force
};

/// Whether the first word names such a fabric; capitals, '-' and '_' do not count.
bool IsScaleUpTopo(const std::vector<std::string>& arguments);

/// Throws UsageError for unknown flags and values that are none, UserError for values that make no
/// fabric, with the flag and what is expected.
ScaleUpTopo ParseScaleUpTopo(const std::vector<std::string>& arguments);

/// Returns the flags of the fabric that the first word names, with their defaults.
std::string ScaleUpTopoHelp(const std::vector<std::string>& arguments);
/// Returns a line for each fabric, for the list of all.
std::string ScaleUpTopoList();
/// Returns the names of both fabrics, for completion scripts.
std::vector<std::string> ScaleUpTopoNames();
std::vector<TemplateFlag> ScaleUpTopoFlags();  ///< of both fabrics

}  // namespace heddle
