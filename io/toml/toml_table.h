// SPDX-License-Identifier: GPL-2.0-only
/// Tables of a TOML file, read key by key: each with its check, and none that nobody knows.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/options/enum_words.h"
#include "io/toml/toml_library.h"

namespace heddle {

/// Parses a file's text. Throws UserError with the line; `page` describes the format: "TOML, as in
/// docs/formats/plan.md".
toml::table ParseToml(std::string_view text, const std::string& path, const std::string& page);

/// Reads the keys of one table. All functions throw UserError "FILE:LINE: found. Expected: ...". A
/// function with a default returns it if the key is missing.
class TomlTable {
 public:
  /// `table` must outlive it. `name`: of the table for messages: "[[pool]]"; empty: the file's top.
  TomlTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  /// Returns the value of a key, null if it is missing; either way the key is known from here on.
  const toml::node* Find(const std::string& key);
  /// Returns a text that is not empty; none if the key is missing.
  std::optional<std::string> Text(const std::string& key);
  /// Returns a whole number from `low` to `high`.
  std::int64_t Whole(const std::string& key, std::int64_t low, std::int64_t high,
                     std::int64_t otherwise);
  /// Returns a number from `low` to `high`.
  double Number(const std::string& key, double low, double high, double otherwise);
  bool Truth(const std::string& key, bool otherwise);     ///< true or false
  Time Duration(const std::string& key, Time otherwise);  ///< "5ms", 0 or more
  Bytes Size(const std::string& key, Bytes otherwise);    ///< "2GiB" or a number of bytes
  /// Returns the value of one of an enum's words.
  template <class Enum>
  Enum Word(const std::string& key, Enum otherwise) {
    const std::optional<std::string> word = Text(key);
    if (!word) return otherwise;
    const std::optional<Enum> found = FindWord<Enum>(*word);
    if (!found) FailWord(key, *word, AllWords<Enum>());
    return *found;
  }
  /// Returns a table under this key; null if it is missing.
  const toml::table* Table(const std::string& key);
  /// Returns the tables of a list [[key]], in the order of the file; none if it is missing.
  std::vector<const toml::table*> Tables(const std::string& key);

  /// Throws for a key that no function above was asked for.
  void ExpectNoOthers() const;
  /// Throws UserError at a key's line, or the table's if it is missing.
  [[noreturn]] void Fail(const std::string& key, const std::string& found,
                         const std::string& expected) const;

 private:
  [[noreturn]] void FailKind(const std::string& key, const std::string& expected) const;
  [[noreturn]] void FailWord(const std::string& key, const std::string& word,
                             const std::vector<std::string>& known) const;
  SourceLine At(const toml::node& node) const { return {file_, node.source().begin.line}; }

  const toml::table& table_;
  std::string file_, name_;
  std::set<std::string> known_;
};

}  // namespace heddle
