// SPDX-License-Identifier: GPL-2.0-only
/// The header line of a workload: the policy and its keys.
#ifndef HEDDLE_IO_INPUT_WORKLOAD_HEADER_H_
#define HEDDLE_IO_INPUT_WORKLOAD_HEADER_H_

#include "io/input/workload_words.h"

namespace heddle {

/// Sets what the words behind the policy say. Throws UserError: unknown keys, keys given twice,
/// values out of range.
void ReadWorkloadHeader(WorkloadWords* words, Workload* workload);

/// Whether the layers that the header names exist; `where` is its line. Throws UserError.
void CheckNamedLayers(const Workload& workload, const SourceLine& where);

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_WORKLOAD_HEADER_H_
