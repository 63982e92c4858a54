// SPDX-License-Identifier: GPL-2.0-only
/// How long the nodes of a trace take that do not use the network.
#pragma once

#include "core/base/units.h"
#include "core/chakra/chakra_options.h"
#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Returns the time of computing: its duration, or what a roofline says of it on the GPU; with
/// slots as ASTRA-sim's at least 1 ns. Throws UserError, which names the node, if the roofline
/// lacks something.
Time TimeOfComputing(const ChakraTrace& trace, ChakraPlace at, const ChakraOptions& options);

/// Returns the time of an access of remote memory. Throws UserError, which names the node, if there
/// is none.
Time TimeOfMemory(const ChakraTrace& trace, ChakraPlace at, const ChakraOptions& options);

/// Returns the time of a node that is not simulated but takes what the file says, as ASTRA-sim
/// replays it: at least 1 ns.
Time TimeOfReplay(const ChakraNode& node);

}  // namespace heddle
