// SPDX-License-Identifier: GPL-2.0-only
/// How SimAI's analytical programs name their outputs.
///
/// Source: SimAI 1.6 and its commit d44c48bb, AstraParamParse.hh.
#pragma once

#include <string>

#include "core/app/studies/analytical/simai_arguments.h"

namespace heddle {

/// -r after -r_f, without ./results/. Without -r the name is made from numbers in the workload's
/// file name (AICB's: model-world_size8-tp2-pp1-ep1-gbs4-mbs1-seq128-...); the older program does
/// so after a -r that ends with '/', too. Throws UserError where SimAI divides by zero.
std::string SimaiResultName(const SimaiArguments& given);

}  // namespace heddle
