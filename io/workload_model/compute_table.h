// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a table of compute times, which replaces the roofline.
///
/// A line is `KIND forward input_gradient weight_gradient`, in microseconds for one block and one
/// micro-batch on one GPU, as measured under the same TP; the optimizer's line has one time, of a
/// step. Kinds are those of BlockKind. Blank lines and comments that start with '#' are skipped.
/// Kinds that are missing keep the roofline's times (docs/workload-generator.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/units.h"
#include "io/workload_model/layer_work.h"

namespace heddle {

struct PhaseTimes {
  Time forward, input_gradient, weight_gradient;
};

/// By BlockKind.
using ComputeTable = std::array<std::optional<PhaseTimes>, kBlockKinds>;

/// Throws UserError with file and line; `name` is the file's name in messages.
ComputeTable ParseComputeTable(std::string_view text, const std::string& name);

}  // namespace heddle
