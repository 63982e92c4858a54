// SPDX-License-Identifier: GPL-2.0-only
/// The help of `heddle topo`: a screen with all fabrics, and the flags of one.
#pragma once

#include <string>
#include <vector>

#include "topology/shapes/families.h"

namespace heddle {

/// Returns the families with the names of their fabrics, and the flags that all have.
std::string TemplateListHelp(const std::vector<Family>& families = Families());

/// Returns the flags of one fabric with their meaning and default. `words` are those of the command
/// line; the first without a dash, or that after -topo, names the fabric. Empty if none does.
/// Throws UserError for an unknown name.
std::string TemplateHelp(const std::vector<std::string>& words,
                         const std::vector<Family>& families = Families());

}  // namespace heddle
