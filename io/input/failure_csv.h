// SPDX-License-Identifier: GPL-2.0-only
/// Reader of lists of failures: comma-separated `time,event,a,b,rate,cable`, one event a line.
///
/// Events: link_down, link_up, link_rate, node_down, node_up. Columns at the end that an event does
/// not need may be left out or empty. A bare time is in ns. Lines may stand in any order of time.
/// The first line may be a header (`rate` and `cable` are optional in it); blank lines and lines
/// from '#' are skipped; blanks around commas, quotes around a field and CRLF are allowed.
#ifndef HEDDLE_IO_INPUT_FAILURE_CSV_H_
#define HEDDLE_IO_INPUT_FAILURE_CSV_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/routes/failures.h"

namespace heddle {

/// The events in the file's order, for ExpandFailures(), which checks them against a topology.
/// Throws UserError with file and line for the first mistake, and for a file without an event.
std::vector<FailureEvent> ReadFailureCsv(const std::string& path);

/// The same for text in memory; `name` stands for the file in messages.
std::vector<FailureEvent> ParseFailureCsv(std::string_view text, const std::string& name);

/// SimAI's `LINK_DOWN t A B`: all cables between A and B go down at t and stay down; "0 0 0" is
/// none. A bare t is in us, from the start of the simulation (SimAI's counts from its second 2).
/// Throws UserError without a place; the event's is "LINK_DOWN".
std::optional<FailureEvent> ParseLinkDown(std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_FAILURE_CSV_H_
