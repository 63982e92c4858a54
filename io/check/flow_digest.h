// SPDX-License-Identifier: GPL-2.0-only
/// Recomputes the attribute flows_digest from /flows.
///
/// The attribute is the sum of the digests of single flows, at the sender and at the receiver
/// (core/records/flow_vocabulary.h). A receiver that got a flow's last byte twice counts twice,
/// which the table does not show; so the digest is compared only if no packet can have been
/// retransmitted.
#pragma once

#include <cstdint>

#include "core/base/table.h"

namespace heddle {

/// Returns the contribution of these rows of /flows, all finished, to the sum. Throws UserError for
/// missing columns.
std::uint64_t DigestOfFlowRows(const Table& flows);

}  // namespace heddle
