// SPDX-License-Identifier: GPL-2.0-only
#include "io/toml/toml_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/toml/toml_check.h"

namespace heddle {
namespace {

constexpr std::ptrdiff_t kMostListed = 20;  ///< keys in a message

}  // namespace

toml::table ParseToml(std::string_view text, const std::string& path, const std::string& page) {
  text = WithoutByteOrderMark(text);
  CheckTomlLetters(text, path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    FailInput({path, error.source().begin.line}, Printable(error.description(), 200), page);
  }
}

const toml::node* TomlTable::Find(const std::string& key) {
  known_.insert(key);
  return table_.get(key);
}

std::optional<std::string> TomlTable::Text(const std::string& key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string() || node->as_string()->get().empty()) FailKind(key, "a text in quotes");
  return node->as_string()->get();
}

std::int64_t TomlTable::Whole(const std::string& key, std::int64_t low, std::int64_t high,
                              std::int64_t otherwise) {
  const toml::node* node = Find(key);
  if (node == nullptr) return otherwise;
  const std::string range = fmt::format("a whole number from {} to {}", low, high);
  if (!node->is_integer()) FailKind(key, range);
  const std::int64_t value = node->as_integer()->get();
  if (value < low || value > high) Fail(key, fmt::format("{} = {}", key, value), range);
  return value;
}

double TomlTable::Number(const std::string& key, double low, double high, double otherwise) {
  const toml::node* node = Find(key);
  if (node == nullptr) return otherwise;
  const std::string range = fmt::format("a number from {} to {}", low, high);
  if (!node->is_number()) FailKind(key, range);
  const double value = node->is_integer() ? static_cast<double>(node->as_integer()->get())
                                          : node->as_floating_point()->get();
  if (!(value >= low && value <= high)) Fail(key, fmt::format("{} = {}", key, value), range);
  return value;
}

bool TomlTable::Truth(const std::string& key, bool otherwise) {
  const toml::node* node = Find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) FailKind(key, "true or false");
  return node->as_boolean()->get();
}

Time TomlTable::Duration(const std::string& key, Time otherwise) {
  const std::optional<std::string> text = Text(key);
  if (!text) return otherwise;
  try {
    return ParseTime(*text);
  } catch (const UserError&) {
    Fail(key, fmt::format("{} = \"{}\"", key, Printable(*text)), "a duration, such as \"5ms\"");
  }
}

Bytes TomlTable::Size(const std::string& key, Bytes otherwise) {
  const toml::node* node = Find(key);
  if (node == nullptr) return otherwise;
  if (node->is_integer()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    return Bytes{Whole(key, 0, kMost, 0)};
  }
  const std::string text = *Text(key);
  try {
    return ParseBytes(text);
  } catch (const UserError&) {
    Fail(key, fmt::format("{} = \"{}\"", key, Printable(text)), "bytes, such as \"2GiB\"");
  }
}

const toml::table* TomlTable::Table(const std::string& key) {
  const toml::node* node = Find(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) FailKind(key, fmt::format("a table: [{}]", key));
  return node->as_table();
}

std::vector<const toml::table*> TomlTable::Tables(const std::string& key) {
  const toml::node* node = Find(key);
  std::vector<const toml::table*> tables;
  if (node == nullptr) return tables;
  if (!node->is_array_of_tables()) FailKind(key, fmt::format("tables: [[{}]]", key));
  for (const toml::node& one : *node->as_array()) tables.push_back(one.as_table());
  return tables;
}

void TomlTable::ExpectNoOthers() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (known_.count(name) > 0) continue;
    const std::vector<std::string> known(known_.begin(), known_.end());
    const auto all = static_cast<std::ptrdiff_t>(known.size());
    const std::ptrdiff_t listed = std::min(all, kMostListed);
    FailInput(At(node),
              fmt::format("unknown key '{}'{}{}", Printable(name),
                          name_.empty() ? "" : " in " + name_, NearestIs(name, known)),
              fmt::format("{}{}", fmt::join(known.begin(), known.begin() + listed, ", "),
                          listed < all ? ", ..." : ""));
  }
}

void TomlTable::Fail(const std::string& key, const std::string& found,
                     const std::string& expected) const {
  const toml::node* node = table_.get(key);
  const std::string where = name_.empty() ? "" : name_ + ": ";
  FailInput(At(node == nullptr ? table_ : *node), where + found, expected);
}

void TomlTable::FailKind(const std::string& key, const std::string& expected) const {
  Fail(key, fmt::format("a value that '{}' cannot have", key), expected);
}

void TomlTable::FailWord(const std::string& key, const std::string& word,
                         const std::vector<std::string>& known) const {
  Fail(key, fmt::format("{} = \"{}\"{}", key, Printable(word), NearestIs(word, known)),
       fmt::format("{}", fmt::join(known, ", ")));
}

}  // namespace heddle
