// SPDX-License-Identifier: GPL-2.0-only
/// Two tasks of a stage done side by side: one's exchanges with experts run under the computing of
/// the other.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (arXiv 2412.19437), 3.2.1; Megatron-LM,
/// combined 1F1B (--overlap-moe-expert-parallel-comm). One compute stream
/// takes turns: it goes on with a task until that exchanges with experts, issues the exchange, and
/// turns to the other task; what it comes back to it waits for first. Other collectives block, as
/// they do in a task alone.
///
/// Omitted: gradients of weights that are moved to fill what is left; kernels that share
/// multiprocessors (the fabric's exchange takes none).
#pragma once

#include <vector>

#include "collectives/program/program.h"

namespace heddle {

/// Returns the steps of both tasks, `first` begins. `ops`: those of the pass, which the steps name.
/// If neither exchanges with experts, it is the one and then the other.
std::vector<ProgramStep> SideBySide(const std::vector<ProgramStep>& first,
                                    const std::vector<ProgramStep>& second,
                                    const std::vector<ProgramOp>& ops);

}  // namespace heddle
