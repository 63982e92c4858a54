// SPDX-License-Identifier: GPL-2.0-only
/// Algorithms of files: algorithm.allreduce=file:NAME.xml and its like.
#ifndef HEDDLE_CORE_APP_SETUP_CUSTOM_ALGORITHMS_H_
#define HEDDLE_CORE_APP_SETUP_CUSTOM_ALGORITHMS_H_

#include <string>

#include "collectives/choice/collective_options.h"

namespace heddle {

/// Reads and proves the files that the options name (io/msccl, custom_proof.h), and puts them into
/// the options. Throws UserError for a file that is none, is of another operation, or does not do
/// what its operation is.
void LoadCustomAlgorithms(CollectiveOptions* options);

/// A line for each: "algorithm        two_step.xml (NAME): ALLTOALL of groups of 16 GPUs\n".
std::string DescribeCustomAlgorithms(const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_CUSTOM_ALGORITHMS_H_
