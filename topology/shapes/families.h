// SPDX-License-Identifier: GPL-2.0-only
/// All families of fabrics that can be generated.
#pragma once

#include <vector>

#include "topology/generate/family.h"

namespace heddle {

/// One row a family. If no name is given, the first family with unnamed fabrics applies.
const std::vector<Family>& Families();

/// One function a family besides SimAI's, each in the file of its name.
Family FatTreeFamily();
Family GridFamily();
Family DragonflyFamily();
Family DragonflyPlusFamily();
Family RailOnlyFamily();
Family MultiPlaneFamily();
Family ScaleUpFamily();

}  // namespace heddle
