// SPDX-License-Identifier: GPL-2.0-only
/// Reads a workload as SimAI's analytical programs do: words in their order, whatever the lines
/// are.
///
/// Source: SimAI 1.6, Workload.cc (initialize_workload,
/// iterate_hybrid_parallel_Transformer_fwd_in_bckwd). Kept are its defects: a row of 13 columns
/// shifts the ones after it; rows that are announced and missing have no name and the numbers of
/// the last one; times and sizes have 24 significant bits; of several checkpoints the first counts.
/// io/simai/simai_workload.h is the reader that checks.
#pragma once

#include <string>

#include "core/traffic/raw_workload.h"

namespace heddle {

/// `name`: the file's, for messages. Throws UserError with file and line where SimAI crashes, or
/// computes with memory that nothing has been written to.
RawWorkload ParseRawWorkload(const std::string& text, const std::string& name);

}  // namespace heddle
