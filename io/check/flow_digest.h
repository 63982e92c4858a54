// SPDX-License-Identifier: GPL-2.0-only
/// The attribute flows_digest, computed again from /flows.
///
/// It is the sum of the digests of single flows, at the sender and at the receiver
/// (transport/record/flow_records.h). A receiver that got a flow twice counts twice there, which
/// the table does not show; so it is compared only where no packet can have been sent again.
#ifndef HEDDLE_IO_CHECK_FLOW_DIGEST_H_
#define HEDDLE_IO_CHECK_FLOW_DIGEST_H_

#include <cstdint>

#include "core/base/table.h"

namespace heddle {

/// What these rows of /flows, all finished, contribute to the sum. Throws UserError for missing
/// columns.
std::uint64_t DigestOfFlowRows(const Table& flows);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_FLOW_DIGEST_H_
