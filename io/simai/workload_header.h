// SPDX-License-Identifier: GPL-2.0-only
/// The header line of a workload: the policy and its keys.
#pragma once

#include "io/simai/workload_words.h"

namespace heddle {

/// Sets the values of the words after the policy. Throws UserError for unknown keys, keys given
/// twice, and values out of range.
void ReadWorkloadHeader(WorkloadWords* words, Workload* workload);

/// Checks that the layers named in the header exist; `where` is the header's line. Throws
/// UserError.
void CheckNamedLayers(const Workload& workload, const SourceLine& where);

}  // namespace heddle
