// SPDX-License-Identifier: GPL-2.0-only
/// Reader of dumps of the forwarding tables of InfiniBand switches (docs/formats/infiniband.md).
///
/// Two families: opensm.fdbs of OpenSM with ibdiagnet.fdbs of ibutils, and what ibroute, dump_fts
/// and dump_lfts print with opensm-lfts.dump of OpenSM. The file's first line that is no comment
/// decides.
#pragma once

#include <string>
#include <string_view>

#include "topology/infiniband/infiniband_network.h"
#include "topology/infiniband/lid_routes.h"

namespace heddle {

/// Whether a text begins as such a file does.
bool IsForwardingDump(std::string_view text);

/// Reads tables of the switches of `network`; others become a warning. `name` is for messages.
/// Throws UserError with the line: not such a file, a line that no version prints, a switch twice,
/// a LID twice with two ports, a LID or a port out of range.
ForwardingDump ParseForwardingDump(std::string_view text, const std::string& name,
                                   const InfinibandNetwork& network);

}  // namespace heddle
