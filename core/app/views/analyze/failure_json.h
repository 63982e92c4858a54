// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle analyze failures --json` prints.
#pragma once

#include <cstddef>
#include <optional>

#include "io/failures/failure_difference.h"
#include "io/failures/failure_study.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the figures of DescribeFailures(), and of DescribeDifference() if there is another
/// result.
OrderedJson FailuresJson(const FailureStudy& study, std::size_t shown,
                         const std::optional<FailureDifference>& difference);

}  // namespace heddle
