// SPDX-License-Identifier: GPL-2.0-only
/// Reader of what ibnetdiscover prints of a subnet (infiniband-diags of rdma-core), in both of its
/// forms (docs/formats/infiniband.md).
///
/// Blocks, as without an option or with -f or -g; ibsim's network files are such blocks with less
/// in them. A list of ports, as with -p: it has no GUIDs of CAs, only of their ports, so that each
/// port counts as a CA of its own; and no number of ports, and no LMC. The file's first line that
/// is no comment decides.
#pragma once

#include <string>
#include <string_view>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// Whether a text begins as such a file does.
bool IsIbnetdiscover(std::string_view text);

/// Reads either form. `name` is for messages. Throws UserError with the line: not such a file, a
/// line that no version prints, a number out of range, a node or a port twice, and cables that are
/// not the same at both ends.
InfinibandNetwork ParseIbnetdiscover(std::string_view text, const std::string& name);

}  // namespace heddle
