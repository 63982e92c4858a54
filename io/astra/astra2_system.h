// SPDX-License-Identifier: GPL-2.0-only
/// Reader of ASTRA-sim 2's system.json, which becomes options.
///
/// Source: ASTRA-sim 2 (Won et al., ISPASS 2023) and its code. docs/formats/network.md lists the
/// keys. What the file does not name is set as the code has it: chunks of equal priority in their
/// order, all of them issued at once, none too small.
#pragma once

#include <string>
#include <string_view>

#include "core/options/options.h"
#include "io/astra/astra_file_note.h"

namespace heddle {

/// Sets the file's values in `options`. Throws UserError with file and line for the first mistake,
/// and for what is not modelled.
AstraFileNote ParseAstra2System(std::string_view text, const std::string& name, OptionSet* options);

}  // namespace heddle
