// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>

#include "core/options/token_reader.h"
#include "io/astra/astra_entries.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

std::string WithoutQuotes(std::string_view value) {
  value = Trim(value);
  const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                      (value.front() == '"' || value.front() == '\'');
  return std::string(quoted ? value.substr(1, value.size() - 2) : value);
}

class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& name) : lines_(text, name) {}

  std::vector<AstraEntry> Read() {
    for (std::string_view line; lines_.NextFilled(&line);) {
      line = WithoutComment(line);
      if (line.empty() || line == "---" || line == "...") continue;
      line.front() == '-' ? AddItem(line.substr(1)) : AddKey(line);
    }
    return std::move(entries_);
  }

 private:
  void AddKey(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0)
      FailInput(lines_.where(), Quote(line), "a key and its value, such as 'npus_count: [8]'");
    AstraEntry entry;
    entry.key = WithoutQuotes(line.substr(0, colon));
    entry.where = lines_.where();
    if (FindEntry(entries_, entry.key) != nullptr)
      FailInput(entry.where, fmt::format("{} once more", Quote(entry.key)), "each key once");
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!value.empty() && value.front() == '[') {
      entry.list = true;
      ReadList(value.substr(1), &entry);
    } else if (value.empty()) {
      entry.list = true;  // of the lines below
    } else {
      entry.values.push_back(WithoutQuotes(value));
    }
    entries_.push_back(std::move(entry));
  }

  void AddItem(std::string_view item) {
    const bool below = !entries_.empty() && entries_.back().list;
    if (!below || Trim(item).empty() || item.front() != ' ')
      FailInput(lines_.where(), Quote(item), "'- ' and a value, below a key without one");
    entries_.back().values.push_back(WithoutQuotes(item));
  }

  /// What follows a '[', on this line and the next ones, up to the ']'.
  void ReadList(std::string_view rest, AstraEntry* entry) {
    std::string list(rest);
    while (list.find(']') == std::string::npos) {
      std::string_view line;
      if (!lines_.NextFilled(&line))
        FailInput(entry->where, fmt::format("{}: a list without an end", Quote(entry->key)), "']'");
      list += ' ';
      list += WithoutComment(line);
    }
    const std::size_t end = list.find(']');
    if (!Trim(std::string_view(list).substr(end + 1)).empty())
      FailInput(lines_.where(), Quote(list.substr(end + 1)), "nothing behind ']'");
    std::string_view items = Trim(std::string_view(list).substr(0, end));
    while (!items.empty()) {
      const std::size_t comma = std::min(items.find(','), items.size());
      const std::string value = WithoutQuotes(items.substr(0, comma));
      if (value.empty())
        FailInput(entry->where, fmt::format("{}: an empty place in the list", Quote(entry->key)),
                  "values, separated by commas");
      entry->values.push_back(value);
      items.remove_prefix(std::min(items.size(), comma + 1));
    }
  }

  LineReader lines_;
  std::vector<AstraEntry> entries_;
};

}  // namespace

std::vector<AstraEntry> ParseYamlEntries(std::string_view text, const std::string& name) {
  return YamlReader(text, name).Read();
}

const AstraEntry* FindEntry(const std::vector<AstraEntry>& entries, std::string_view key) {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const AstraEntry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &*at;
}

}  // namespace heddle
