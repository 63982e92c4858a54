// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_table/sweep_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/app/launch/sweep_table/run_keys.h"
#include "core/app/run/setup/all_options.h"
#include "core/base/check.h"
#include "core/base/units.h"
#include "core/options/nccl_names.h"
#include "core/options/nearest_name.h"
#include "io/serving/request_law_text.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestLabel = 60;
constexpr const char* kLabelled = "{value = VALUE, label = \"what it is called\"}";

void Collect(const toml::table& table, const std::string& prefix, std::vector<TomlLeaf>* leaves) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (node.is_table()) {
      Collect(*node.as_table(), name + ".", leaves);
    } else {
      leaves->push_back({name, &node});
    }
  }
}

std::int64_t ParseSize(const SweepEntry& entry) {
  try {
    return ParseBufferSize(entry.value).count;
  } catch (const UserError&) {
    FailInput(entry.where, "size '" + Printable(entry.value) + "'",
              "bytes: \"64MiB\", \"64M\", 1048576");
  }
}

[[noreturn]] void FailKey(const SweepEntry& entry, const OptionSet& options) {
  std::vector<std::string> known = SweepRunKeys();
  for (const Option& option : options.options()) {
    known.push_back(option.key);
    if (!option.simai_key.empty()) known.push_back(option.simai_key);
  }
  FailInput(entry.where, "unknown key '" + Printable(entry.key) + "'" + NearestIs(entry.key, known),
            fmt::format("{}, or a key of `heddle options`", fmt::join(SweepRunKeys(), ", ")));
}

/// What an option calls a value, in small letters: "dcqcn" for 1 where its range has "1 (DCQCN)",
/// and a word for itself. Empty for numbers, and for "true" and "false", which say nothing alone.
std::string WordOf(const Option& option, const std::string& value) {
  std::string word = value;
  const std::string text = " " + option.range, named = " " + value + " (";
  if (const std::size_t at = text.find(named); !value.empty() && at != std::string::npos) {
    const std::size_t begin = at + named.size();
    word = text.substr(begin, text.find(')', begin) - begin);
  }
  for (char& letter : word)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const bool begins_so = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
  return begins_so && word != "true" && word != "false" ? word : "";
}

/// Throws UserError for unknown keys, and values that the option does not take.
void CheckOption(SweepEntry* entry) {
  AllOptions all;
  if (!all.options.Knows(entry->key)) FailKey(*entry, all.options);
  all.options.Set(entry->key, entry->value, entry->where);
  const std::vector<const Option*> found = all.options.FindByName(entry->key);
  if (!found.empty()) entry->word = WordOf(*found[0], entry->value);
}

}  // namespace

std::vector<TomlLeaf> LeavesOf(const toml::table& table) {
  std::vector<TomlLeaf> leaves;
  Collect(table, "", &leaves);
  std::sort(leaves.begin(), leaves.end(), [](const TomlLeaf& a, const TomlLeaf& b) {
    const auto place = [](const TomlLeaf& leaf) {
      return std::make_pair(leaf.node->source().begin.line, leaf.node->source().begin.column);
    };
    return place(a) < place(b);
  });
  return leaves;
}

SweepEntry SweepValueReader::Entry(const std::string& key, const toml::node& node) const {
  SweepEntry entry{key, TextOfValue(key, node), At(node)};
  if (key == "label") {
    FailInput(entry.where, "'label' without a value",
              fmt::format("label in [run], in [zip], or at a value: {}", kLabelled));
  }
  if (!IsRunKey(key)) {
    CheckOption(&entry);
  } else if (NamesFile(key) || (key == "serve.requests" && !IsRequestLaw(entry.value))) {
    CheckFile(&entry);
  } else if (key == "serve.spread" && entry.value != "true" && entry.value != "false") {
    FailInput(entry.where, "serve.spread = " + Printable(entry.value), "true or false");
  } else if (key == "size") {
    entry.value = std::to_string(ParseSize(entry));
  }
  return entry;
}

SweepEntry SweepValueReader::Labelled(const std::string& key, const toml::node& node) const {
  const toml::table* parts = node.as_table();
  if (parts == nullptr) return Entry(key, node);
  for (const auto& [name, part] : *parts) {
    if (name.str() != "value" && name.str() != "label")
      FailInput(At(part), "unknown key '" + Printable(name.str()) + "'", kLabelled);
  }
  const toml::node* value = parts->get("value");
  if (value == nullptr) FailInput(At(node), "no 'value'", kLabelled);
  SweepEntry entry = Entry(key, *value);
  if (const toml::node* label = parts->get("label")) entry.label = Label(*label);
  return entry;
}

std::string SweepValueReader::Label(const toml::node& node) const {
  const auto* text = node.as_string();
  if (text == nullptr || text->get().empty() || text->get().size() > kLongestLabel) {
    FailInput(At(node), "a label that is none",
              fmt::format("text in quotes, of 1 to {} bytes", kLongestLabel));
  }
  return text->get();
}

std::string SweepValueReader::TextOfValue(const std::string& key, const toml::node& node) const {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  FailInput(At(node), "'" + Printable(key) + "' has a value of another kind",
            "text in quotes, a number, true or false" +
                std::string(node.is_array() ? "; lists belong to [vary]" : ""));
}

void SweepValueReader::CheckFile(SweepEntry* entry) const {
  const std::filesystem::path path = std::filesystem::path(place_.folder) / entry->value;
  std::error_code ignored;
  if (entry->value.empty() || !std::filesystem::is_regular_file(path, ignored)) {
    FailInput(entry->where, fmt::format("{} '{}' is no file", entry->key, Printable(path.string())),
              "a file; paths are relative to the table's folder");
  }
  entry->value = path.lexically_normal().string();
}

}  // namespace heddle
