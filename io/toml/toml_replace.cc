// SPDX-License-Identifier: GPL-2.0-only
#include "io/toml/toml_replace.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/toml/toml_table.h"

namespace heddle {
namespace {

/// One "KEY=VALUE".
class KeyReplacement {
 public:
  KeyReplacement(const std::string& text, const std::string& flag)
      : name_(flag + " " + Printable(text)) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0) Fail("no KEY=VALUE", "such as share=0.8");
    value_ = text.substr(equal + 1);
    std::string key = text.substr(0, equal);
    for (std::size_t begin = 0; begin <= key.size();) {
      const std::size_t end = std::min(key.find('.', begin), key.size());
      parts_.push_back(key.substr(begin, end - begin));
      if (parts_.back().empty()) Fail("a key without a name", "names with dots between them");
      begin = end + 1;
    }
  }

  void Apply(toml::table* root) const {
    toml::node* at = root;
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i) at = Enter(at, parts_[i]);
    toml::table* table = at->as_table();
    if (table == nullptr) Fail("a list in place of a table", "the number of one, such as pool.0");
    toml::table parsed = Parse(table->source().begin.line);
    parsed.get("value")->visit(
        [&](auto& node) { table->insert_or_assign(parts_.back(), std::move(node)); });
  }

 private:
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput({name_, 0}, found, expected);
  }

  /// The table or list under a name; a table is made if there is nothing.
  toml::node* Enter(toml::node* at, const std::string& part) const {
    toml::node* next = nullptr;
    if (toml::array* list = at->as_array(); list != nullptr) {
      const std::optional<std::size_t> number = ReadNumber<std::size_t>(part);
      if (!number || *number >= list->size())
        Fail(fmt::format("'{}' of a list of {}", Printable(part), list->size()),
             "a number from 0 on that the list has");
      next = list->get(*number);
    } else if (toml::table* table = at->as_table(); table != nullptr) {
      if (table->get(part) == nullptr) table->insert(part, toml::table());
      next = table->get(part);
    }
    if (next == nullptr || !(next->is_table() || next->is_array()))
      Fail(fmt::format("'{}' is a value", Printable(part)), "a table or a list of tables");
    return next;
  }

  /// A table with the value under "value", on this line of the file.
  toml::table Parse(std::size_t line) const {
    const std::string before(line > 0 ? line - 1 : 0, '\n');
    try {
      toml::table table = toml::parse(before + "value = " + value_);
      if (table.size() == 1 && table.get("value") != nullptr) return table;
    } catch (const toml::parse_error&) {
    }
    return ParseToml(before + "value = \"" + value_ + "\"", name_, "KEY=VALUE");
  }

  std::string name_, value_;
  std::vector<std::string> parts_;
};

}  // namespace

void ReplaceTomlKey(const std::string& text, const std::string& flag, toml::table* root) {
  KeyReplacement(text, flag).Apply(root);
}

}  // namespace heddle
