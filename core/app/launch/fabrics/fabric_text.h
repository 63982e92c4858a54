// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle compare-fabrics` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/app/launch/fabrics/fabric_figures.h"
#include "core/app/launch/fabrics/fabric_files.h"

namespace heddle {

struct FabricResult {
  ComparedFabric fabric;
  FabricFigures figures;
  std::string result;  ///< file
};

/// Returns the index of the fabric whose step is shortest, the first of equals.
std::size_t BestOf(const std::vector<FabricResult>& results);

/// Returns a row a figure, a column a fabric. The best of a row have a star, and bold letters with
/// `colours`; others their difference from it in percent, or as a multiple from ten times on.
/// Bandwidths of collectives say by which algorithm.
std::string FabricTable(const std::vector<FabricResult>& results, bool colours);

/// Returns a sentence for each other fabric: by how much it is slower than the best, and which
/// causes on the critical paths of both make the difference. All that is printed is computed.
std::vector<std::string> Verdicts(const std::vector<FabricResult>& results);

}  // namespace heddle
