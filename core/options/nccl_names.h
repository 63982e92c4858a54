// SPDX-License-Identifier: GPL-2.0-only
/// What users of nccl-tests type: names of its programs, and sizes with its letters.
#pragma once

#include <string>
#include <string_view>

#include "core/base/units.h"

namespace heddle {

/// Returns a collective's name as one word in small letters: "all_reduce", "all_reduce_perf" and
/// "ALLREDUCE" are "allreduce". Other words only lose underscores and capitals.
std::string PlainOperation(std::string_view name);

/// Reads what ParseBytes() reads, or a number and one of nccl-tests' K, M and G, which are KiB, MiB
/// and GiB. Throws UserError.
Bytes ParseBufferSize(std::string_view text);

/// Returns the text of a size that loses nothing: "64 KiB", "3000 B".
std::string ExactSize(Bytes size);

}  // namespace heddle
