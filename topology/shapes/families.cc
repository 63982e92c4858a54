// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/families.h"

#include "topology/leaf_spine/leaf_spine.h"

namespace heddle {

const std::vector<Family>& Families() {
  static const std::vector<Family> kFamilies = {
      LeafSpineFamily(),     FatTreeFamily(),  GridFamily(),       DragonflyFamily(),
      DragonflyPlusFamily(), RailOnlyFamily(), MultiPlaneFamily(), ScaleUpFamily()};
  return kFamilies;
}

}  // namespace heddle
