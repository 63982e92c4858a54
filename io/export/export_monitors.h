// SPDX-License-Identifier: GPL-2.0-only
/// Monitor tables in the text formats of SimAI's monitors (its common.h, switch-node.cc,
/// rdma-hw.cc): one line for each row, in the order of rows. Times are whole nanoseconds
/// (truncated); ports are SimAI's interface indices, which count from 1 (0 is its loopback device),
/// so port 0 is 1.
///
/// Difference: SimAI prints 32 bits of a size and of a rate, so sizes from 4 GiB and rates from 4.3
/// Gbit/s are wrong there; here they are complete.
#pragma once

#include <ostream>

#include "core/base/table.h"
#include "topology/graph/graph.h"

namespace heddle {

// All throw UserError if a column is missing. The caller checks the state of `out`.

/// qlen.txt from table monitors/queues: `time, sw_id, port_id, q_id, q_len, port_len`, lengths in
/// bytes.
void ExportQueues(const Table& queues, std::ostream& out);
/// bw.txt from monitors/links: `time, node_id, port_id, bandwidth`, mean since the previous sample
/// in Gbit/s.
void ExportLinks(const Table& links, std::ostream& out);
/// rate.txt from monitors/rates: `time, src, dst, sport, dport, size, curr_rate`, in bit/s.
void ExportRates(const Table& rates, std::ostream& out);
/// cnp.txt from monitors/cnps: `time, src, dst, sport, dport, size, cnp_number`, counted from the
/// flow's start.
void ExportCnps(const Table& cnps, std::ostream& out);
/// pfc.txt from pfc, without a header: `time node_id node_type if_index type` at the receiver of
/// the frame; node type 0 host, 1 switch, 2 NVSwitch; type 1 pause, 0 resume. Throws UserError for
/// a node that the graph does not have.
void ExportPauses(const Table& pauses, const Graph& graph, std::ostream& out);

/// cast.csv from monitors/cast: `time_ns,src,dst,connection,priority,queue_pair,weight,estimate_ns,
/// posted_bytes`.
void ExportCast(const Table& cast, std::ostream& out);

}  // namespace heddle
