// SPDX-License-Identifier: GPL-2.0-only
/// The attribute flows_digest, computed again from /flows.
///
/// Traces: the digest of the table (core/table.h). Workloads: the sum of the digests of single
/// flows, at the sender and at the receiver (transport/records.h). A receiver that got a flow twice
/// counts twice there, which the table does not show; so those are compared only where no packet
/// can have been sent again.
#ifndef HEDDLE_IO_FLOW_DIGEST_H_
#define HEDDLE_IO_FLOW_DIGEST_H_

#include <cstdint>

#include "core/table.h"
#include "io/result_reader.h"

namespace heddle {

/// Of the whole table, a block at a time.
std::uint64_t DigestOfFlows(const ResultReader& reader);

/// What these rows of a workload's /flows contribute to its sum. Throws UserError for missing
/// columns.
std::uint64_t DigestOfFlowRows(const Table& flows);

}  // namespace heddle

#endif  // HEDDLE_IO_FLOW_DIGEST_H_
