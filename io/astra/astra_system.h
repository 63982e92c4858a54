// SPDX-License-Identifier: GPL-2.0-only
/// Reader of ASTRA-SIM's system files, which become options. Those of 1.0 are a line `key: value`
/// each; those of 2 are JSON (astra2_system.h).
///
/// Source: ASTRA-SIM (ISPASS 2020), Table III, and its code. docs/formats/network.md lists the
/// keys.
#pragma once

#include <string>
#include <string_view>

#include "core/options/options.h"
#include "io/astra/astra_file_note.h"

namespace heddle {

/// Sets the file's values in `options`. Throws UserError with file and line for the first mistake,
/// and for what is not modelled. Returns what the run says of the file.
AstraFileNote ReadAstraSystem(const std::string& path, OptionSet* options);
/// Reads text in memory likewise; `name` is used as the file's name in messages.
AstraFileNote ParseAstraSystem(std::string_view text, const std::string& name, OptionSet* options);

}  // namespace heddle
