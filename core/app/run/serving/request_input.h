// SPDX-License-Identifier: GPL-2.0-only
/// The requests that a command line asks for.
#pragma once

#include "core/app/run/arguments/run_arguments.h"
#include "io/serving/request_files.h"

namespace heddle {

/// Reads a trace or draws from a law by `seed`; `format` of what is returned names it. Throws
/// UserError.
RequestFile LoadRequests(const ServingArguments& given, std::uint64_t seed);

/// Spreads the requests of one time evenly until the next time; the last ones over as much time as
/// those before them had.
void SpreadTicks(ServingRequests* requests);

}  // namespace heddle
