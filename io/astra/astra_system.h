// SPDX-License-Identifier: GPL-2.0-only
/// Reader of ASTRA-SIM 1.0's system files, which become options: a line `key: value` each.
///
/// Source: ASTRA-SIM (ISPASS 2020), Table III, and its code. docs/formats/network.md lists the
/// keys.
#ifndef HEDDLE_IO_ASTRA_ASTRA_SYSTEM_H_
#define HEDDLE_IO_ASTRA_ASTRA_SYSTEM_H_

#include <string>
#include <string_view>

#include "core/options/options.h"

namespace heddle {

/// Sets the file's values in `options`. Throws UserError with file and line for the first mistake,
/// and for what is not modelled.
void ReadAstraSystem(const std::string& path, OptionSet* options);
/// The same for text in memory; `name` is used as the file's name in messages.
void ParseAstraSystem(std::string_view text, const std::string& name, OptionSet* options);

}  // namespace heddle

#endif  // HEDDLE_IO_ASTRA_ASTRA_SYSTEM_H_
