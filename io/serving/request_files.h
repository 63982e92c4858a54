// SPDX-License-Identifier: GPL-2.0-only
/// Readers of request traces, their columns as they are (docs/formats/serving.md):
/// - Mooncake's JSON lines: timestamp [ms], input_length, output_length, hash_ids.
/// - Azure's CSV: TIMESTAMP (a date with 100 ns), ContextTokens, GeneratedTokens.
/// - BurstGPT's CSV: Timestamp [s], Session ID, Elapsed time, Model, Request tokens, Response
///   tokens, Total tokens, Log Type; older files lack the second and the third.
/// Times count from the first request. Requests without a prompt or an answer (BurstGPT: failed
/// ones) are left out, and counted in a warning.
///
/// Omitted: what is read of hash_ids, sessions, models and log types is checked and not used.
#pragma once

#include <string>
#include <string_view>

#include "io/serving/request_file.h"

namespace heddle {

/// Reads a trace; its first line shows the format. Throws UserError with file and line for times
/// that go backwards, negative lengths, unknown and missing columns, and files without requests.
RequestFile ReadRequests(const std::string& path);
/// Parses the same; `name` is the file's in messages.
RequestFile ParseRequests(std::string_view text, const std::string& name);

}  // namespace heddle
