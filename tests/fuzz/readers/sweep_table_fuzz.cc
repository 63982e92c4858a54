// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of sweep tables (TOML) and of their expansion into runs.
#include <algorithm>
#include <set>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_table/run_keys.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/option_fixture.h"

namespace heddle {
namespace {

/// Tables with more runs are not expanded: they add no cases to those of small ones.
constexpr std::size_t kMostRuns = 200;

/// The path of a table, in a folder with the files that the seeds name.
const std::string& TablePath() {
  static const std::string path = [] {
    for (const char* name : {"fabric.txt", "other.txt", "load.txt", "trace.csv"})
      PutBytes(ScratchFolder() + "/" + name, "#\n");
    return ScratchFolder() + "/fuzz.toml";
  }();
  return path;
}

std::size_t CountRuns(const SweepTable& table) {
  std::size_t runs = 1;
  int zip = 0;
  for (const SweepAxis& axis : table.axes) {
    if (axis.zip > 0 && axis.zip == zip) continue;  // varies with the one before
    zip = axis.zip;
    runs = runs > kMostRuns ? runs : runs * axis.values.size();
  }
  return runs;
}

void CheckRuns(const SweepTable& table) {
  std::set<std::string> names;
  for (const SweepRun& run : ExpandSweep(table)) {
    if (!names.insert(run.name).second) Complain("two runs of one name");
    const bool plain = std::all_of(run.name.begin(), run.name.end(),
                                   [](char c) { return c > ' ' && c <= '~' && c != '/'; });
    if (!plain || run.name == "." || run.name == "..")
      Complain("a name that leads elsewhere: " + run.name);
    if (run.values.size() != table.axes.size()) Complain("a run without a value of each axis");
  }
}

bool Check(const std::string& text) {
  SweepTable table;
  const Refusal refusal = {TablePath(), true, false, 900};
  if (!Accepts(refusal, [&] { table = ParseSweepTable(text, TablePath()); })) return false;
  if (table.axes.empty() && table.fixed.empty()) Complain("a table of nothing");
  for (const SweepAxis& axis : table.axes) {
    if (axis.values.empty()) Complain("an axis without values");
  }
  if (CountRuns(table) <= kMostRuns)
    Accepts({TablePath(), /*remedy=*/false, false, 900}, [&] { CheckRuns(table); });
  return true;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "sweep_table";
  reader.check = &Check;
  reader.words = SweepRunKeys();
  for (const char* word : {"[run]",
                           "[vary]",
                           "[[run]]",
                           "[zip]",
                           "[[zip]]",
                           "label",
                           "{value = 1, label = \"one\"}",
                           "[run.rate]",
                           "output",
                           "ranks",
                           "\"fabric.txt\"",
                           "\"64MiB\"",
                           "true",
                           "1e3",
                           "inf",
                           "nan",
                           "0x7f",
                           "1979-05-27",
                           "'''",
                           "\"\"\"",
                           "[",
                           "]",
                           "{a = 1}",
                           "\"allreduce\"",
                           "\"../up\"",
                           "\"all\"",
                           "\"auto\"",
                           "\"\\u0000\"",
                           "\"\\U0001F600\"",
                           "a.b.c"}) {
    reader.words.push_back(word);
  }
  for (const KeyValues& key : AllKeyValues()) reader.words.push_back(key.key);
  reader.seeds = {
      "output = \"out\"\nranks = 2\n[run]\ntopology = \"fabric.txt\"\nworkload = "
      "\"load.txt\"\nseed = 7\n"
      "[vary]\nCC_MODE = [1, 3]\nrate.gain = [0.5, 0.25]\n",
      "[run]\ntopology = \"fabric.txt\"\n[run.rate]\ngain = 0.125\n[vary]\ncollective = "
      "[\"allreduce\", \"alltoall\"]\n"
      "size = [\"1MiB\", 4096]\n",
      "[vary]\ntopology = [\"fabric.txt\", \"other.txt\"]\ntrace = [\"trace.csv\"]\npasses = [1]\n",
      "[run]\ntopology = \"fabric.txt\"\ntrace = \"trace.csv\"\n[vary]\n\"pfc.enabled\" = [true, "
      "false]\n",
      "[run]\nlabel = \"study\"\ntrace = \"trace.csv\"\n[zip]\nlabel = [\"a\", \"b\"]\ntopology = "
      "[\"fabric.txt\", \"other.txt\"]\npasses = [1, 2]\n[vary]\nCC_MODE = [{value = 1, label = "
      "\"one\"}, 3]\n"};
  return reader;
}

}  // namespace heddle
