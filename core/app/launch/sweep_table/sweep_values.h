// SPDX-License-Identifier: GPL-2.0-only
/// Values of a sweep's table (TOML), read and checked one by one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/app/launch/sweep_table/sweep_entry.h"
#include "io/toml/toml_library.h"

namespace heddle {

/// A value of the file under its full name, dots included: `a.b = 1`, `"a.b" = 1`, and `b = 1` in
/// [run.a] are the same.
struct TomlLeaf {
  std::string key;
  const toml::node* node;
};

/// Returns the values of a table in the order of the file; toml++ itself sorts keys by name.
std::vector<TomlLeaf> LeavesOf(const toml::table& table);

/// Reads values of a file. All functions throw UserError "FILE:LINE: found. Expected: ...".
class SweepValueReader {
 public:
  struct Place {
    std::string file;
    std::string folder;  ///< to which paths are relative
  };
  explicit SweepValueReader(Place place) : place_(std::move(place)) {}

  /// Returns the line where a value begins, for messages.
  SourceLine At(const toml::node& node) const { return {place_.file, node.source().begin.line}; }

  /// Returns a value of a run key or an option, as on a command line.
  SweepEntry Entry(const std::string& key, const toml::node& node) const;
  /// Returns the same, or {value = VALUE, label = "what it is called"}.
  SweepEntry Labelled(const std::string& key, const toml::node& node) const;
  /// Returns a text of 1 to 60 bytes.
  std::string Label(const toml::node& node) const;

 private:
  /// Returns a text, number or truth value as on a command line. Throws UserError for other kinds.
  std::string TextOfValue(const std::string& key, const toml::node& node) const;
  /// Makes the entry's path relative to the table's folder. Throws UserError if no file is there.
  void CheckFile(SweepEntry* entry) const;

  Place place_;
};

}  // namespace heddle
