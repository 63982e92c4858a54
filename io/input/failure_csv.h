// SPDX-License-Identifier: GPL-2.0-only
/// Reader of lists of failures: comma-separated `time,event,a,b,rate,cable`, one event on each
/// line.
///
/// A node is its number, or its name (topology/graph/node_names.h), for FindNamedNodes().
/// Events: link_down, link_up, link_rate, node_down, node_up. Trailing columns that an event does
/// not need may be omitted or empty. A number without a unit is a time in ns. Lines may be in any
/// order of time. The first line may be a header (`rate` and `cable` are optional in it). Blank
/// lines and lines that start with '#' are skipped; blanks around commas, quotes around a field and
/// CRLF are allowed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/routes/failures.h"

namespace heddle {

/// Reads the events in the file's order, for ExpandFailures(), which checks them against a
/// topology. Throws UserError with file and line for the first mistake, and for a file without
/// events.
std::vector<FailureEvent> ReadFailureCsv(const std::string& path);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
std::vector<FailureEvent> ParseFailureCsv(std::string_view text, const std::string& name);

/// Parses SimAI's `LINK_DOWN t A B`: all cables between A and B go down at t and stay down; "0 0 0"
/// means no failure. A number without a unit is in us from the start of the simulation (SimAI
/// counts from its second 2). Throws UserError without a line; the event's line is "LINK_DOWN".
std::optional<FailureEvent> ParseLinkDown(std::string_view text);

}  // namespace heddle
