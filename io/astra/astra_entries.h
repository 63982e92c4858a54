// SPDX-License-Identifier: GPL-2.0-only
/// Files of ASTRA-sim 2 as keys with values: network.yml is YAML, system.json is JSON. Both are
/// flat: a key has a value or a list of values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace heddle {

struct AstraEntry {
  std::string key;
  std::vector<std::string> values;  ///< as they are written, without quotes
  bool list = false;
  SourceLine where;
};

/// Reads `key: value`, `key: [a, b]`, perhaps over several lines, and a key with lines `- a` below
/// it. '#' begins a comment. Throws UserError with file and line for anything else.
std::vector<AstraEntry> ParseYamlEntries(std::string_view text, const std::string& name);

/// Reads an object of texts, numbers, truth values, and lists of these. Throws UserError with file
/// and line for anything else, and for keys that come twice.
std::vector<AstraEntry> ParseJsonEntries(std::string_view text, const std::string& name);

/// Whether a text is JSON, by its beginning: JSON if the first character is '{'.
bool IsJson(std::string_view text);

/// Returns the entry of a key; null if there is none.
const AstraEntry* FindEntry(const std::vector<AstraEntry>& entries, std::string_view key);

}  // namespace heddle
