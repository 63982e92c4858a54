// SPDX-License-Identifier: GPL-2.0-only
/// What ORCS's programs 1.1 and 2.0 mean by the names of patterns, where their description says
/// something else.
///
/// Found by running both programs (docs/models/static_congestion.md): bisect joins neighbours in
/// rank, K neighbours are cliques, distances that double overflow at level 31, and ptrnvsptrn goes
/// on between runs.
#pragma once

#include "core/patterns/pattern_rows.h"

namespace heddle {

PatternRules OrcsPatterns();

}  // namespace heddle
