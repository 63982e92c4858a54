// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/sweep/sweep_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/impl/preprocessor.h>
// A table that begins with "[" and a line end violates an assumption of toml++: debug builds would
// abort, and clang's optimised builds have undefined behaviour. Without the assertion toml++
// reports the mistake itself.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_ASSERT_ASSUME(condition) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "core/app/setup/all_options.h"
#include "core/app/sweep/toml_check.h"
#include "core/base/units.h"
#include "core/options/nccl_names.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::uintmax_t kMostBytes = 1 << 20;  // of a table; a table of 100,000 lines has less
constexpr std::int64_t kMostRanks = 1'000'000;

struct RunKey {
  const char* key;
  const char* flag;
  bool file;
};
constexpr RunKey kRunKeys[] = {{"topology", "-n", true},
                               {"workload", "-w", true},
                               {"trace", "--trace", true},
                               {"flows", "--flows", true},
                               {"conf", "-c", true},
                               {"failures", "--failures", true},
                               {"tables", "--tables", true},
                               {"routing", "--routing", false},
                               {"collective", "", false},
                               {"size", "", false},
                               {"passes", "--passes", false},
                               {"seed", "--seed", false},
                               {"backend", "--backend", false},
                               {"record", "--record", false},
                               {"partition", "--partition", false},
                               {"grain", "--grain", false},
                               {"flush", "--flush", false}};

const RunKey* FindRunKey(const std::string& key) {
  for (const RunKey& known : kRunKeys) {
    if (key == known.key) return &known;
  }
  return nullptr;
}

/// A value of the file under its full name, dots included: `a.b = 1`, `"a.b" = 1`, and `b = 1` in
/// [run.a] are the same.
struct Leaf {
  std::string key;
  const toml::node* node;
};

class TableReader {
 public:
  TableReader(const toml::table& root, const std::string& path) : root_(root) {
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
    for (const SweepAxis& axis : table_.axes) {
      for (const SweepEntry& entry : table_.fixed) {
        if (entry.key == axis.key)
          FailInput(entry.where, "'" + entry.key + "' is in [run] and in [vary]", "one of them");
      }
    }
    return std::move(table_);
  }

 private:
  SourceLine At(const toml::node& node) const { return {table_.file, node.source().begin.line}; }

  void ReadTopKey(const std::string& key, const toml::node& node) {
    if (key == "output" && node.is_string() && !node.as_string()->get().empty()) {
      table_.output = (std::filesystem::path(table_.folder) / node.as_string()->get())
                          .lexically_normal()
                          .string();
    } else if (key == "ranks" && node.is_integer() && node.as_integer()->get() >= 1 &&
               node.as_integer()->get() <= kMostRanks) {
      table_.ranks = static_cast<std::uint32_t>(node.as_integer()->get());
    } else if (key == "run" && node.is_table()) {
      for (const Leaf& leaf : LeavesOf(*node.as_table()))
        table_.fixed.push_back(ReadEntry(leaf.key, *leaf.node));
    } else if (key == "vary" && node.is_table()) {
      for (const Leaf& leaf : LeavesOf(*node.as_table())) table_.axes.push_back(ReadAxis(leaf));
    } else {
      FailTopKey(key, node);
    }
  }

  [[noreturn]] void FailTopKey(const std::string& key, const toml::node& node) const {
    const std::vector<std::string> known = {"output", "ranks", "run", "vary"};
    const std::string expected[] = {"the name of a folder in quotes",
                                    fmt::format("a whole number from 1 to {}", kMostRanks),
                                    "a table: [run]", "a table: [vary]"};
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (key == known[i])
        FailInput(At(node), "a value that '" + key + "' cannot have", expected[i]);
    }
    FailInput(At(node), "unknown key '" + Printable(key) + "'" + NearestIs(key, known),
              "output, ranks, [run] or [vary]");
  }

  /// The values in the order of the file; toml++ itself sorts keys by name.
  static std::vector<Leaf> LeavesOf(const toml::table& table) {
    std::vector<Leaf> leaves;
    Collect(table, "", &leaves);
    std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
      const auto place = [](const Leaf& leaf) {
        return std::make_pair(leaf.node->source().begin.line, leaf.node->source().begin.column);
      };
      return place(a) < place(b);
    });
    return leaves;
  }

  static void Collect(const toml::table& table, const std::string& prefix,
                      std::vector<Leaf>* leaves) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (node.is_table()) {
        Collect(*node.as_table(), name + ".", leaves);
      } else {
        leaves->push_back({name, &node});
      }
    }
  }

  SweepAxis ReadAxis(const Leaf& leaf) {
    const toml::array* values = leaf.node->as_array();
    if (values == nullptr) {
      FailInput(At(*leaf.node), "'" + Printable(leaf.key) + "' has a single value",
                "a list in [vary]: [a, b]; single values belong to [run]");
    }
    if (values->empty())
      FailInput(At(*leaf.node), "'" + Printable(leaf.key) + "' has an empty list",
                "at least one value");
    SweepAxis axis{leaf.key, {}};
    for (const toml::node& value : *values) axis.values.push_back(ReadEntry(leaf.key, value));
    return axis;
  }

  SweepEntry ReadEntry(const std::string& key, const toml::node& node) {
    SweepEntry entry{key, TextOfValue(key, node), At(node)};
    if (const RunKey* known = FindRunKey(key)) {
      if (known->file) CheckFile(&entry);
      if (key == "size") entry.value = std::to_string(ParseSize(entry));
      return entry;
    }
    CheckOption(entry);
    return entry;
  }

  std::string TextOfValue(const std::string& key, const toml::node& node) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    FailInput(At(node), "'" + Printable(key) + "' has a value of another kind",
              "text in quotes, a number, true or false" +
                  std::string(node.is_array() ? "; lists belong to [vary]" : ""));
  }

  void CheckFile(SweepEntry* entry) const {
    const std::filesystem::path path = std::filesystem::path(table_.folder) / entry->value;
    std::error_code ignored;
    if (entry->value.empty() || !std::filesystem::is_regular_file(path, ignored)) {
      FailInput(entry->where,
                fmt::format("{} '{}' is no file", entry->key, Printable(path.string())),
                "a file; paths are relative to the table's folder");
    }
    entry->value = path.lexically_normal().string();
  }

  static std::int64_t ParseSize(const SweepEntry& entry) {
    try {
      return ParseBufferSize(entry.value).count;
    } catch (const UserError&) {
      FailInput(entry.where, "size '" + Printable(entry.value) + "'",
                "bytes: \"64MiB\", \"64M\", 1048576");
    }
  }

  void CheckOption(const SweepEntry& entry) {
    AllOptions all;
    if (!all.options.Knows(entry.key)) {
      std::vector<std::string> known = SweepRunKeys();
      for (const Option& option : all.options.options()) {
        known.push_back(option.key);
        if (!option.simai_key.empty()) known.push_back(option.simai_key);
      }
      FailInput(entry.where,
                "unknown key '" + Printable(entry.key) + "'" + NearestIs(entry.key, known),
                fmt::format("{}, or a key of `heddle options`", fmt::join(SweepRunKeys(), ", ")));
    }
    all.options.Set(entry.key, entry.value, entry.where);
  }

  const toml::table& root_;
  SweepTable table_;
};

}  // namespace

const std::vector<std::string>& SweepRunKeys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names;
    for (const RunKey& known : kRunKeys) names.emplace_back(known.key);
    return names;
  }();
  return keys;
}

std::string FlagOfRunKey(const std::string& key) {
  const RunKey* known = FindRunKey(key);
  return known == nullptr ? "" : known->flag;
}

bool NamesFile(const std::string& key) {
  const RunKey* known = FindRunKey(key);
  return known != nullptr && known->file;
}

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
