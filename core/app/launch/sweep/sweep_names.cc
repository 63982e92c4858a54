// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/sweep_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "core/app/launch/sweep_table/run_keys.h"
#include "core/base/check.h"
#include "core/options/nccl_names.h"

namespace heddle {
namespace {

// Characters; file systems allow 255 bytes, and endings such as .h5.part.rank15 follow.
constexpr std::size_t kLongestName = 200;

/// How much a word says. Each says more than the one before.
enum class Length { kShort, kMiddle, kLong };
constexpr Length kLengths[] = {Length::kShort, Length::kMiddle, Length::kLong};

/// The text with '-' for what file systems and shells may not take.
std::string FileWord(std::string text) {
  for (char& letter : text) {
    const bool mark = std::string_view("._+-").find(letter) != std::string_view::npos;
    if (!mark && std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  }
  return text;
}

std::string SizeWord(const std::string& bytes) {
  std::string word = ExactSize({std::stoll(bytes)});
  word.erase(std::remove(word.begin(), word.end(), ' '), word.end());
  return word;
}

/// A file's name without its ending; longer: with its folder; the whole path.
std::string PathWord(const std::string& file, Length length) {
  const std::filesystem::path path(file);
  if (length == Length::kShort) return path.stem().string();
  if (length == Length::kLong) return path.string();
  return (path.parent_path().filename() / path.stem()).string();
}

std::string WordOf(const SweepEntry& entry, Length length) {
  const std::string& key = entry.key;
  if (!entry.label.empty() && length != Length::kLong) return FileWord(entry.label);
  if (NamesFile(key)) return FileWord(PathWord(entry.value, length));
  if (length == Length::kShort) {
    if (key == "size") return SizeWord(entry.value);
    if (key == "collective") return FileWord(entry.value);
    if (!entry.word.empty()) return FileWord(entry.word);
  }
  const std::string begin = length == Length::kLong ? key : key.substr(key.rfind('.') + 1);
  return FileWord(begin + "-" + entry.value);
}

/// The texts of an axis' values, by the first of `forms` in which a value's text is no other's.
/// Values that no form distinguishes have the last.
template <class Forms, class Text>
std::vector<std::string> TextsOf(const SweepAxis& axis, const Forms& forms, Text text) {
  std::vector<std::string> texts(axis.values.size());
  std::vector<bool> is_alone(axis.values.size());
  for (const auto form : forms) {
    std::map<std::string, std::set<std::string>> values;  // that have this text
    for (const SweepEntry& entry : axis.values) values[text(entry, form)].insert(entry.value);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (is_alone[i]) continue;
      texts[i] = text(axis.values[i], form);
      is_alone[i] = values[texts[i]].size() == 1;
    }
  }
  return texts;
}

/// The words of one axis in names.
class AxisWords {
 public:
  AxisWords(const SweepAxis& axis, Length least) {
    std::vector<Length> lengths;
    for (const Length length : kLengths) {
      if (length >= least) lengths.push_back(length);
    }
    words_ = TextsOf(axis, lengths, WordOf);
    tell_all_apart_ = std::set<std::string>(words_.begin(), words_.end()).size() == words_.size();
  }
  const std::string& at(std::size_t value) const { return words_[value]; }
  /// Whether all values have different words.
  bool tell_all_apart() const { return tell_all_apart_; }

 private:
  std::vector<std::string> words_;
  bool tell_all_apart_ = false;
};

/// Whether another axis has a key with the same last part, and values that need it.
bool SharesShortKey(const SweepTable& table, const SweepAxis& axis) {
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  return std::any_of(table.axes.begin(), table.axes.end(), [&](const SweepAxis& other) {
    return other.key != axis.key && last(other.key) == last(axis.key);
  });
}

/// Makes names of one length of words.
class NameMaker {
 public:
  NameMaker(const SweepTable& table, Length least) : table_(table) {
    for (const SweepAxis& axis : table.axes) {
      const bool labelled =
          std::all_of(axis.values.begin(), axis.values.end(),
                      [](const SweepEntry& entry) { return !entry.label.empty(); });
      words_.emplace_back(axis, SharesShortKey(table, axis) && !labelled ? Length::kLong : least);
    }
  }

  /// `whole`: with words of all lists of a [zip], not only of as many as distinguish its rows.
  std::string Name(const std::vector<std::size_t>& run, bool whole) const {
    std::string name = FileWord(table_.label);
    bool told = false;  // whether the words before distinguish the rows of this [zip]
    for (std::size_t axis = 0; axis < table_.axes.size(); ++axis) {
      const int zip = table_.axes[axis].zip;
      if (axis == 0 || zip == 0 || zip != table_.axes[axis - 1].zip) told = false;
      if (told && !whole) continue;
      name += (name.empty() ? "" : "_") + words_[axis].at(run[axis]);
      told = zip > 0 && words_[axis].tell_all_apart();
    }
    if (name.empty()) return "run";
    if (name[0] == '.' || name[0] == '-') name[0] = '_';
    return name;
  }

 private:
  const SweepTable& table_;
  std::vector<AxisWords> words_;
};

/// Gives names of `maker` to runs whose names are those of others, too. Returns the first two of
/// one name that are left; equal numbers if there are none.
std::pair<std::size_t, std::size_t> Lengthen(const NameMaker& maker,
                                             const std::vector<std::vector<std::size_t>>& runs,
                                             std::vector<std::string>* names) {
  std::map<std::string, std::size_t> count;
  for (const std::string& name : *names) ++count[name];
  for (std::size_t row = 0; row < runs.size(); ++row) {
    if (count[(*names)[row]] > 1) (*names)[row] = maker.Name(runs[row], true);
  }
  std::map<std::string, std::size_t> first;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    const auto [known, added] = first.emplace((*names)[row], row);
    if (!added) return {known->second, row};
  }
  return {0, 0};
}

}  // namespace

std::vector<std::string> SweepNames(const SweepTable& table,
                                    const std::vector<std::vector<std::size_t>>& runs) {
  const NameMaker plain(table, Length::kShort);
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const std::vector<std::size_t>& run : runs) names.push_back(plain.Name(run, false));
  std::pair<std::size_t, std::size_t> same = {0, 1};
  for (const Length length : kLengths) {
    if (same.first == same.second) break;
    same = Lengthen(NameMaker(table, length), runs, &names);
  }
  if (same.first != same.second) {
    FailInput({table.file, 0},
              fmt::format("runs {} and {} have the name '{}'", same.first, same.second,
                          Printable(names[same.first])),
              "different values in each list, or labels");
  }
  for (const std::string& name : names) {
    if (name.size() <= kLongestName) continue;
    FailInput({table.file, 0},
              fmt::format("run '{}': a name of {} bytes", Printable(name), name.size()),
              "at most 200: labels, shorter names of files, or fewer keys");
  }
  return names;
}

std::vector<std::string> ShownValues(const SweepAxis& axis) {
  return TextsOf(axis, std::vector<bool>{false, true}, [](const SweepEntry& entry, bool whole) {
    if (!entry.label.empty()) return entry.label;
    if (entry.key == "size") return ExactSize({std::stoll(entry.value)});
    if (!entry.word.empty() && !whole) return entry.word;
    if (!NamesFile(entry.key) || whole) return entry.value;
    return std::filesystem::path(entry.value).stem().string();
  });
}

}  // namespace heddle
