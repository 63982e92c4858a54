// SPDX-License-Identifier: GPL-2.0-only
/// Whether the options of the transport go together. Each option has a range of its own; some
/// mechanisms exclude each other, which is asked once, of all that simulates packets.
#pragma once

#include "transport/domain/state/transport_options.h"

namespace heddle {

/// Throws UserError that names the option, why it cannot be, and what is expected instead.
void CheckTransport(const TransportOptions& transport);
/// Throws UserError likewise for what forwarding tables rule out: the central controller.
void CheckOnTables(const TransportOptions& transport);

}  // namespace heddle
