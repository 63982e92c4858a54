// SPDX-License-Identifier: GPL-2.0-only
/// Files of ASTRA-SIM 1.0: a line `key: value` each, in any order, each key once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A key, and what its value must be.
struct AstraKey {
  enum class Range : std::uint8_t {
    kWord,
    kCount,     ///< a whole number, 0 to `most`
    kPositive,  ///< from 1 on
    kShare,     ///< above 0, at most 1
  };
  const char* name;
  Range range;
  std::int64_t most = 1'000'000'000;
};

/// The values of a file, with the lines that they stand in.
class AstraKeys {
 public:
  /// `kind`: "network file". Throws UserError with file and line for the first line that is no key
  /// of `known` with a value that it may have, and for a key that comes twice.
  AstraKeys(std::string_view text, const std::string& name, const std::vector<AstraKey>& known,
            std::string kind);

  bool has(const char* key) const { return values_.count(key) != 0; }  ///< the file gives it
  // Throw UserError if the key is missing.
  const std::string& Word(const char* key) const { return Find(key).text; }
  SourceLine LineOf(const char* key) const { return Find(key).where; }   ///< for messages
  std::int64_t Count(const char* key) const { return Find(key).count; }  ///< 0 to AstraKey::most
  /// Returns `otherwise` instead of throwing.
  std::int64_t Count(const char* key, std::int64_t otherwise) const {
    return has(key) ? Count(key) : otherwise;
  }
  /// Returns a number in (0, 1]; 1 if the key is missing.
  double Share(const char* key) const { return has(key) ? Find(key).share : 1; }

 private:
  struct Value {
    std::string text;
    SourceLine where;
    std::int64_t count = 0;
    double share = 0;
  };

  /// Stores a line "key: value". Throws UserError for an unknown key, a value out of range, and a
  /// key that the file had before.
  void Take(std::string_view line, const SourceLine& where, const std::vector<AstraKey>& known);
  /// Fills count or share from the value's text. Throws UserError if it is out of the key's range.
  static void Check(const AstraKey& key, Value* value);
  const Value& Find(const char* key) const;  ///< throws UserError if the file lacks it

  std::string name_, kind_;
  std::map<std::string, Value> values_;
};

}  // namespace heddle
