// SPDX-License-Identifier: GPL-2.0-only
/// Reader of ASTRA-SIM's network files. Those of 1.0 are a line `key: value` each, in any order;
/// those of 2 are recognized by their keys (astra2_network.h).
///
/// Source: ASTRA-SIM (ISPASS 2020), Table III, and its Garnet network's inputs.
/// docs/formats/network.md lists the keys. Torus3D is a torus of packages: the first dimension
/// within a package, then horizontal, then vertical. NV_Switch joins all packages by switches.
/// Widths are bits a cycle of 1 ns.
#pragma once

#include <string>
#include <string_view>

#include "io/astra/astra_file_note.h"
#include "topology/scale_up/scale_up_network.h"

namespace heddle {

/// Throws UserError with file and line for the first mistake. `note`: what the run says of it; may
/// be null.
ScaleUpNetwork ReadAstraNetwork(const std::string& path, AstraFileNote* note = nullptr);
/// Reads text in memory likewise; `name` is used as the file's name in messages.
ScaleUpNetwork ParseAstraNetwork(std::string_view text, const std::string& name,
                                 AstraFileNote* note = nullptr);

/// Returns the file of a network that ASTRA-SIM 1.0 knows: rings within packages, then rings in
/// rows and columns or one dimension of switches, with whole Gbps and nanoseconds, and equal flits,
/// channels and routers.
std::string AstraNetworkText(const ScaleUpNetwork& network);

}  // namespace heddle
