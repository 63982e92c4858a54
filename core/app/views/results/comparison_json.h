// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle compare --json` prints.
#pragma once

#include <string>

#include "io/compare/result_comparison.h"
#include "io/table/json_document.h"

namespace heddle {

/// `a`, `b`: files; `backends`: AccuracyJson() of two backends, or null.
OrderedJson ComparisonJson(const ResultComparison& found, const std::string& a,
                           const std::string& b, OrderedJson backends);

}  // namespace heddle
