// SPDX-License-Identifier: GPL-2.0-only
/// Collisions of flows as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "io/collisions/collision_study.h"

namespace heddle {

/// Returns several lines: the number of flows that collide, the effect of the controller, the load
/// of the spines, and the `worst` ports with the flows that shared them and when.
std::string DescribeCollisions(const CollisionStudy& study, std::size_t worst);

/// Returns a table that compares completion times and collisions of two results of the same
/// traffic; changes are from `other` to `study`.
std::string CompareCollisions(const CollisionStudy& study, const CollisionStudy& other);

}  // namespace heddle
