// SPDX-License-Identifier: GPL-2.0-only
/// Reader of workloads: SimAI's and AICB's files, those of ASTRA-sim 1, and micro-benchmarks
/// without a header.
///
/// Source: SimAI's Workload.cc; the description of SimAI's communication stack, section 10. The
/// page is docs/formats/workload.md. A header line names the policy and, in any order, keys with
/// their values; the next line is the number of layers; then a line a layer with 12 columns
/// (further ones are skipped). Without a header each line is `passes OPERATION bytes [GROUP]`.
/// Blank lines and comments from '#' are skipped everywhere; blanks and tabs separate words, any
/// number of them; CRLF is fine. Fewer layers than announced are no mistake here: AICB's authors
/// cut files (WorkloadWarnings in collectives/job/workload_defaults.h tells the user).
#ifndef HEDDLE_IO_INPUT_SIMAI_WORKLOAD_H_
#define HEDDLE_IO_INPUT_SIMAI_WORKLOAD_H_

#include <string>
#include <string_view>

#include "core/traffic/workload.h"

namespace heddle {

/// Throws UserError with file, line and column (the number of the word in its line) for the first
/// mistake.
Workload ReadSimaiWorkload(const std::string& path);

/// The same for text in memory; `name` stands for the file in messages.
Workload ParseSimaiWorkload(std::string_view text, const std::string& name);

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_SIMAI_WORKLOAD_H_
