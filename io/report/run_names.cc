// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/run_names.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>

namespace heddle {
namespace {

using Words = std::vector<std::string>;

Words Split(const std::string& text, char at) {
  Words words(1);
  for (const char c : text) {
    if (c == at) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// "BUFFER_SIZE-2_CC_MODE-1" is "BUFFER_SIZE-2" and "CC_MODE-1": a part without "-" belongs to the
/// next one. The last may have none.
Words PartsOf(const std::string& name) {
  if (name.find('-') == std::string::npos) return Split(name, '_');
  Words parts;
  std::string open;
  for (const std::string& word : Split(name, '_')) {
    open += (open.empty() ? "" : "_") + word;
    if (word.find('-') == std::string::npos) continue;
    parts.push_back(open);
    open.clear();
  }
  if (!open.empty()) parts.push_back(open);
  return parts;
}

bool AllEqual(const std::vector<Words>& names, std::size_t at) {
  return std::all_of(names.begin(), names.end(),
                     [&](const Words& words) { return words[at] == names.front()[at]; });
}

bool EquallyLong(const std::vector<Words>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const Words& words) { return words.size() == names.front().size(); });
}

/// Shortens one part of all names: a list keeps its first word, which is the key, and what differs.
void ShortenLists(std::vector<Words>* names, std::size_t at) {
  constexpr std::size_t kLong = 24;  // letters
  std::vector<Words> lists;
  bool is_long = false;
  for (const Words& words : *names) {
    lists.push_back(Split(words[at], '-'));
    is_long = is_long || words[at].size() > kLong;
  }
  if (!is_long || !EquallyLong(lists)) return;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::string text = lists[i][0];
    bool omitted = false;
    for (std::size_t w = 1; w < lists[i].size(); ++w) {
      if (AllEqual(lists, w)) {
        omitted = true;
        continue;
      }
      text += (omitted ? "-...-" : "-") + lists[i][w];
      omitted = false;
    }
    (*names)[i][at] = text;
  }
}

Words WithoutCommonParts(const Words& names) {
  std::vector<Words> parts;
  for (const std::string& name : names) parts.push_back(PartsOf(name));
  if (!EquallyLong(parts)) return names;
  Words shorter(names.size());
  for (std::size_t at = 0; at < parts.front().size(); ++at) {
    if (AllEqual(parts, at)) continue;
    ShortenLists(&parts, at);
    for (std::size_t i = 0; i < parts.size(); ++i)
      shorter[i] += (shorter[i].empty() ? "" : " ") + parts[i][at];
  }
  return shorter;
}

bool AllDiffer(const Words& names) {
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() == names.size() && different.count("") == 0;
}

}  // namespace

std::vector<std::string> RunNames(const std::vector<std::string>& paths) {
  std::multiset<std::string> stems;
  for (const std::string& path : paths) stems.insert(std::filesystem::path(path).stem().string());
  Words names;
  for (const std::string& path : paths) {
    const std::string stem = std::filesystem::path(path).stem().string();
    names.push_back(stems.count(stem) > 1 ? path : stem);
  }
  if (names.size() < 2 || !AllDiffer(names)) return names;
  const Words shorter = WithoutCommonParts(names);
  return AllDiffer(shorter) ? shorter : names;
}

}  // namespace heddle
