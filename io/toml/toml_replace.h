// SPDX-License-Identifier: GPL-2.0-only
/// Other values of single keys of a TOML file, as a command line gives them.
#pragma once

#include <string>

#include "io/toml/toml_library.h"

namespace heddle {

/// Replaces a key of a file, or adds it, by "KEY=VALUE". KEY has the names of tables before it, of
/// a list of tables the number of one: "pool.0.instances=2". VALUE is as in the file; a text may be
/// without quotes. The line of the value is that of its table, for messages. `flag` names the
/// command line's flag in messages. Throws UserError for another form, a table that is a value, and
/// a number of a list that it does not have.
void ReplaceTomlKey(const std::string& text, const std::string& flag, toml::table* root);

}  // namespace heddle
