// SPDX-License-Identifier: GPL-2.0-only
/// Reader of workloads: files of SimAI and AICB, of ASTRA-sim 1, and micro-benchmarks without a
/// header.
///
/// Source: SimAI's Workload.cc; the description of SimAI's communication stack, section 10. The
/// format is in docs/formats/workload.md. A header line names the policy and, in any order, keys
/// with their values; the next line is the number of layers; then one line for each layer
/// (workload_layer.h). Without a header each line is `passes OPERATION bytes
/// [GROUP]`. Blank lines and comments that start with '#' are skipped; any number of blanks and
/// tabs separates words; CRLF is allowed. Fewer layers than announced are accepted here, because
/// AICB's authors truncate files (WorkloadWarnings in collectives/program/workload_defaults.h warns
/// the user).
#pragma once

#include <string>
#include <string_view>

#include "core/traffic/workload.h"

namespace heddle {

/// Throws UserError with file, line and column (the number of the word in its line) for the first
/// mistake.
Workload ReadSimaiWorkload(const std::string& path);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
Workload ParseSimaiWorkload(std::string_view text, const std::string& name);

}  // namespace heddle
