// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_table/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "core/app/launch/sweep_table/sweep_values.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/toml/toml_check.h"

namespace heddle {
namespace {

constexpr std::uintmax_t kMostBytes = 1 << 20;  // of a table; a table of 100,000 lines has less
constexpr std::int64_t kMostRanks = 1'000'000;

class TableReader {
 public:
  TableReader(const toml::table& root, const std::string& path)
      : root_(root), values_({path, std::filesystem::path(path).parent_path().string()}) {
    table_.file = path;
    table_.folder = std::filesystem::path(path).parent_path().string();
    table_.output =
        (std::filesystem::path(table_.folder) / std::filesystem::path(path).stem()).string();
  }

  SweepTable Read() {
    for (const auto& [key, node] : root_) ReadTopKey(std::string(key.str()), node);
    if (table_.axes.empty() && table_.fixed.empty()) {
      FailInput({table_.file, 0}, "no [run] and no [vary]",
                "what the runs are, such as topology = \"fabric.txt\" in [run]");
    }
    SortAxes();
    CheckKeys();
    return std::move(table_);
  }

 private:
  SourceLine At(const toml::node& node) const { return values_.At(node); }

  void ReadTopKey(const std::string& key, const toml::node& node) {
    if (key == "output" && node.is_string() && !node.as_string()->get().empty()) {
      table_.output = (std::filesystem::path(table_.folder) / node.as_string()->get())
                          .lexically_normal()
                          .string();
    } else if (key == "ranks" && node.is_integer() && node.as_integer()->get() >= 1 &&
               node.as_integer()->get() <= kMostRanks) {
      table_.ranks = static_cast<std::uint32_t>(node.as_integer()->get());
    } else if (key == "run" && node.is_table()) {
      for (const TomlLeaf& leaf : LeavesOf(*node.as_table())) {
        if (leaf.key == "label") {
          table_.label = values_.Label(*leaf.node);
        } else {
          table_.fixed.push_back(values_.Entry(leaf.key, *leaf.node));
        }
      }
    } else if (key == "vary" && node.is_table()) {
      for (const TomlLeaf& leaf : LeavesOf(*node.as_table())) table_.axes.push_back(ReadAxis(leaf));
    } else if (key == "zip" && node.is_table()) {
      ReadZip(*node.as_table());
    } else if (key == "zip" && node.is_array_of_tables()) {
      for (const toml::node& one : *node.as_array()) ReadZip(*one.as_table());
    } else {
      FailTopKey(key, node);
    }
  }

  /// Into the file's order, as toml++ sorts keys by name; lists of a [zip] stay neighbours.
  void SortAxes() {
    std::map<int, std::int64_t> lines;  // where each [zip] begins
    const auto line = [](const SweepAxis& axis) { return axis.values[0].where.line; };
    for (const SweepAxis& axis : table_.axes) lines.emplace(axis.zip, line(axis));
    const auto place = [&](const SweepAxis& axis) {
      return std::make_pair(axis.zip > 0 ? lines.at(axis.zip) : line(axis), axis.zip);
    };
    std::stable_sort(table_.axes.begin(), table_.axes.end(),
                     [&](const SweepAxis& a, const SweepAxis& b) { return place(a) < place(b); });
  }

  /// Throws UserError for a key that stands in two places.
  void CheckKeys() const {
    const auto name = [](const SweepAxis& axis) { return axis.zip > 0 ? "[zip]" : "[vary]"; };
    for (std::size_t i = 0; i < table_.axes.size(); ++i) {
      const SweepAxis& axis = table_.axes[i];
      for (const SweepEntry& entry : table_.fixed) {
        if (entry.key == axis.key)
          FailInput(entry.where, fmt::format("'{}' is in [run] and in {}", entry.key, name(axis)),
                    "one of them");
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (table_.axes[j].key != axis.key) continue;
        FailInput(axis.values[0].where,
                  fmt::format("'{}' is in {} and in {}", Printable(axis.key), name(table_.axes[j]),
                              name(axis)),
                  "one of them");
      }
    }
  }

  /// Lists that vary together. A list `label` has the labels of the first key's values.
  void ReadZip(const toml::table& table) {
    ++zips_;
    const std::size_t first = table_.axes.size();
    const toml::node* labels = nullptr;
    for (const TomlLeaf& leaf : LeavesOf(table)) {
      if (leaf.key == "label") {
        labels = leaf.node;
        continue;
      }
      table_.axes.push_back(ReadAxis(leaf, zips_));
      const SweepAxis &one = table_.axes[first], &other = table_.axes.back();
      if (other.values.size() != one.values.size()) {
        FailInput(At(*leaf.node),
                  fmt::format("'{}' has {} values, '{}' has {}", Printable(other.key),
                              other.values.size(), Printable(one.key), one.values.size()),
                  "lists of one length in [zip], as their values vary together");
      }
    }
    if (table_.axes.size() == first)
      FailInput(At(table), "no list in [zip]", "lists of one length that vary together");
    if (labels != nullptr) LabelRows(*labels, &table_.axes[first]);
  }

  void LabelRows(const toml::node& node, SweepAxis* axis) const {
    const toml::array* labels = node.as_array();
    if (labels == nullptr || labels->size() != axis->values.size()) {
      FailInput(At(node), "'label' is not a list of " + std::to_string(axis->values.size()),
                "a label for each value of the lists in [zip]");
    }
    for (std::size_t i = 0; i < labels->size(); ++i)
      axis->values[i].label = values_.Label(*labels->get(i));
    CheckLabels(*axis);
  }

  /// Throws UserError for two values of one label.
  static void CheckLabels(const SweepAxis& axis) {
    for (const SweepEntry& entry : axis.values) {
      if (entry.label.empty()) continue;
      for (const SweepEntry* other = axis.values.data(); other != &entry; ++other) {
        if (other->label == entry.label)
          FailInput(entry.where, "label '" + Printable(entry.label) + "' a second time",
                    "a label for one value");
      }
    }
  }

  [[noreturn]] void FailTopKey(const std::string& key, const toml::node& node) const {
    const std::vector<std::string> known = {"output", "ranks", "run", "vary", "zip"};
    const std::string expected[] = {"the name of a folder in quotes",
                                    fmt::format("a whole number from 1 to {}", kMostRanks),
                                    "a table: [run]", "a table: [vary]", "a table: [zip]"};
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (key == known[i])
        FailInput(At(node), "a value that '" + key + "' cannot have", expected[i]);
    }
    FailInput(At(node), "unknown key '" + Printable(key) + "'" + NearestIs(key, known),
              "output, ranks, [run], [vary] or [zip]");
  }

  /// `zip`: the number of its [zip]; 0: it is in [vary].
  SweepAxis ReadAxis(const TomlLeaf& leaf, int zip = 0) {
    const toml::array* values = leaf.node->as_array();
    if (values == nullptr) {
      FailInput(At(*leaf.node), "'" + Printable(leaf.key) + "' has a single value",
                fmt::format("a list in {}: [a, b]; single values belong to [run]",
                            zip > 0 ? "[zip]" : "[vary]"));
    }
    if (values->empty())
      FailInput(At(*leaf.node), "'" + Printable(leaf.key) + "' has an empty list",
                "at least one value");
    SweepAxis axis{leaf.key, {}, zip};
    for (const toml::node& value : *values)
      axis.values.push_back(values_.Labelled(leaf.key, value));
    CheckLabels(axis);
    return axis;
  }

  const toml::table& root_;
  const SweepValueReader values_;
  SweepTable table_;
  int zips_ = 0;  // that were read
};

}  // namespace

SweepTable ReadSweepTable(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kMostBytes)
    FailInput({path, 0}, fmt::format("{} bytes", bytes), "the table of a sweep, at most 1 MiB");
  return ReadAs(FileKind::kSweep, path, [&] { return ParseSweepTable(ReadTextFile(path), path); });
}

SweepTable ParseSweepTable(std::string_view text, const std::string& path) {
  text = WithoutByteOrderMark(text);
  CheckTomlLetters(text, path);
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    FailInput({path, error.source().begin.line}, Printable(error.description(), 200),
              "TOML, as in docs/formats/sweep.md");
  }
  return TableReader(root, path).Read();
}

}  // namespace heddle
