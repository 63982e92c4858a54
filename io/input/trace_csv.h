// SPDX-License-Identifier: GPL-2.0-only
/// Reader and writer of traffic traces: comma-separated `timestamp_ns,src,dst,size_bytes`, one flow
/// on each line.
///
/// The first line may be a header with these names. Blank lines and lines that start with '#' are
/// skipped; blanks around commas and CRLF are allowed. Times may have decimals and must not
/// decrease.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads the flows in the file's order; each starts at its timestamp plus `send_latency`. Throws
/// UserError with file and line for the first mistake, and for a trace without flows.
std::vector<FlowRequest> ReadTraceCsv(const std::string& path, const Graph& graph,
                                      Time send_latency);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
std::vector<FlowRequest> ParseTraceCsv(std::string_view text, const std::string& name,
                                       const Graph& graph, Time send_latency);

/// Returns the text of a trace: a line with `comment` (one line) if it is not empty, the header,
/// and the flows with their `start` as timestamp. The readers above return the same flows if these
/// have a trace's priority and port, and GPUs of the graph as ends.
std::string WriteTraceCsv(const std::vector<FlowRequest>& flows, std::string_view comment);

}  // namespace heddle
