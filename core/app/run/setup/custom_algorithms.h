// SPDX-License-Identifier: GPL-2.0-only
/// Algorithms of files: algorithm.allreduce=file:NAME.xml and its like.
#pragma once

#include <string>

#include "collectives/choice/collective_options.h"

namespace heddle {

/// Reads and proves the files that the options name (io/msccl, custom_proof.h), and puts them into
/// the options. Throws UserError for a file that is none, is of another operation, or does not do
/// what its operation is.
void LoadCustomAlgorithms(CollectiveOptions* options);

/// Returns a line for each: "algorithm        two_step.xml (NAME): ALLTOALL of groups of 16
/// GPUs\n".
std::string DescribeCustomAlgorithms(const CollectiveOptions& options);

}  // namespace heddle
