// SPDX-License-Identifier: GPL-2.0-only
/// Reader of SimAI.conf: a line is `KEY value`, `KEY value value ...`, blank, or a comment that
/// starts with '#'.
///
/// A value of several words ("LINK_DOWN 0 0 0", "KMAX_MAP 1 25000000000 400") is passed on as the
/// rest of its line. A '#' starts a comment at the beginning of a line or after a blank.
#pragma once

#include <string>
#include <string_view>

#include "core/options/options.h"

namespace heddle {

/// Sets the file's values in `options`. Throws UserError with file and line for a key that is
/// unknown (with the nearest known one), without a value or given twice, and for a value that its
/// option rejects.
void ReadSimaiConf(const std::string& path, OptionSet* options);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
void ParseSimaiConf(std::string_view text, const std::string& name, OptionSet* options);

}  // namespace heddle
