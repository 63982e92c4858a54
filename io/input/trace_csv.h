// SPDX-License-Identifier: GPL-2.0-only
/// Reader and writer of traffic traces: comma-separated `timestamp_ns,src,dst,size_bytes`, one flow
/// a line.
///
/// The first line may be a header with these names. Blank lines and lines from '#' are skipped;
/// blanks around commas and CRLF are allowed. Times may have decimals and must not go backwards.
#ifndef HEDDLE_IO_INPUT_TRACE_CSV_H_
#define HEDDLE_IO_INPUT_TRACE_CSV_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// The flows in the file's order; each starts at its timestamp plus `send_latency`. Throws
/// UserError with file and line for the first mistake, and for a trace without a flow.
std::vector<FlowRequest> ReadTraceCsv(const std::string& path, const Graph& graph,
                                      Time send_latency);

/// The same for text in memory; `name` stands for the file in messages.
std::vector<FlowRequest> ParseTraceCsv(std::string_view text, const std::string& name,
                                       const Graph& graph, Time send_latency);

/// The text of a trace: a line with `comment` (one line) if there is one, the header, and the flows
/// with their `start` as the timestamp. The readers above give back the same flows, if their
/// priority and port are those of a trace, and their ends GPUs of the graph.
std::string WriteTraceCsv(const std::vector<FlowRequest>& flows, std::string_view comment);

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_TRACE_CSV_H_
