// SPDX-License-Identifier: GPL-2.0-only
/// All families of fabrics that can be generated.
#pragma once

#include <vector>

#include "topology/generate/family.h"

namespace heddle {

/// Returns one row a family. If no name is given, the first family with unnamed fabrics applies.
const std::vector<Family>& Families();

/// Returns fat trees. Families besides SimAI's have a function each, in the file of its name.
Family FatTreeFamily();
/// Returns tori, meshes and full meshes of routers, of any number of dimensions.
Family GridFamily();
/// Returns dragonflies of fully linked routers in each group.
Family DragonflyFamily();
/// Returns dragonflies whose groups are leaves and spines.
Family DragonflyPlusFamily();
/// Returns fabrics of one network a rail, without cables between them.
Family RailOnlyFamily();
/// Returns planes of leaves and spines, with a port of every GPU in each.
Family MultiPlaneFamily();
/// Returns racks on NVLink under leaves and spines.
Family ScaleUpFamily();

}  // namespace heddle
