// SPDX-License-Identifier: GPL-2.0-only
/// Finds a fabric of a given name.
#pragma once

#include <string>
#include <vector>

#include "topology/generate/family.h"
#include "topology/leaf_spine/leaf_spine.h"

namespace heddle {

struct FoundFabric {
  const Family& family;
  const NamedFabric& fabric;  ///< one of the family's
};

/// Whether two names are equal but for capitals, '-' and '_'; '+' is "plus".
bool IsSameFabric(const std::string& a, const std::string& b);

/// Finds a fabric of `families` by name, as IsSameFabric(). Throws UserError with the nearest known
/// name.
FoundFabric FindFabric(const std::vector<Family>& families, const std::string& name);

}  // namespace heddle
