// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/launch/sweep/sweep_names.h"
#include "core/app/launch/sweep_table/run_keys.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/recorder/run_attributes.h"
#include "core/options/nccl_names.h"
#include "io/check/attribute_validation.h"
#include "io/input/text_file.h"
#include "io/result/result_reader.h"
#include "io/simai/simai_workload.h"

namespace heddle {
namespace {

void AddRecords(const std::string& value, std::vector<std::string>* words) {
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    words->insert(words->end(), {"--record", value.substr(at, end - at)});
    at = end + 1;
  }
}

/// Builds one run.
class RunMaker {
 public:
  RunMaker(const SweepTable& table, std::string name, const std::vector<const SweepEntry*>& varied)
      : table_(table) {
    run_.name = std::move(name);
    for (const SweepEntry& entry : table.fixed) Add(entry);
    for (const SweepEntry* entry : varied) {
      Add(*entry);
      run_.values.push_back(NamesFile(entry->key)
                                ? std::filesystem::path(entry->value).filename().string()
                                : entry->value);
    }
  }

  SweepRun Make() {
    AddCollective();
    run_.result = (std::filesystem::path(table_.output) / (run_.name + ".h5")).string();
    run_.words.insert(run_.words.end(), {"-o", run_.result, "--restart", "auto"});
    CheckWords();
    return std::move(run_);
  }

 private:
  void Add(const SweepEntry& entry) {
    const std::string flag = FlagOfRunKey(entry.key);
    if (entry.key == "collective" || entry.key == "size") {
      (entry.key == "size" ? size_ : collective_) = entry.value;
      last_ = entry.where;
    } else if (entry.key == "record") {
      AddRecords(entry.value, &run_.words);
    } else if (entry.key == "serve.spread") {
      if (entry.value == "true") run_.words.emplace_back(flag);
    } else if (IsDeploymentKey(entry.key)) {
      run_.words.insert(run_.words.end(),
                        {"--deploy", DeploymentKey(entry.key) + "=" + entry.value});
    } else if (IsPlanKey(entry.key)) {
      run_.words.insert(run_.words.end(), {"--plan", PlanKey(entry.key) + "=" + entry.value});
    } else if (!flag.empty()) {
      run_.words.insert(run_.words.end(), {flag, entry.value});
    } else {
      run_.words.insert(run_.words.end(), {"--set", entry.key + "=" + entry.value});
    }
  }

  void AddCollective() {
    if (size_.empty() && collective_.empty()) return;
    if (size_.empty() || collective_.empty()) {
      FailInput(last_,
                size_.empty() ? "'collective' without 'size'" : "'size' without 'collective'",
                "both: collective = \"ALLREDUCE DP\", size = \"64MiB\"");
    }
    const std::size_t blank = collective_.find(' ');
    const std::string group = blank == std::string::npos ? "" : collective_.substr(blank);
    std::string operation = PlainOperation(collective_.substr(0, blank));
    for (char& letter : operation)
      letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    run_.workload_text = fmt::format("1 {} {}{}\n", operation, size_, group);
    run_.workload_file =
        (std::filesystem::path(table_.output) / "inputs" / (run_.name + ".txt")).string();
    try {
      ParseSimaiWorkload(run_.workload_text, "");
    } catch (const UserError&) {
      FailInput(last_, fmt::format("collective '{}' of {} bytes", Printable(collective_), size_),
                "an operation and a group, such as \"ALLREDUCE DP\", \"ALLTOALL EP\" "
                "(docs/formats/workload.md)");
    }
    run_.words.insert(run_.words.end(), {"-w", run_.workload_file});
  }

  /// Checks the arguments by the rules of `heddle run`, so that no array is submitted that cannot
  /// run.
  void CheckWords() const {
    try {
      RunArguments arguments;
      ParseRunArguments(run_.words, &arguments);
      ResolveTraffic({}, &arguments);
    } catch (const UsageError& error) {
      throw UserError(
          fmt::format("{}: run '{}': {}", table_.file, Printable(run_.name), error.what()));
    }
  }

  const SweepTable& table_;
  SweepRun run_;
  std::string size_, collective_;
  SourceLine last_;
};

/// A command line without the folders of its file names, because a table may be used from any
/// folder.
std::string WithoutFolders(const std::string& text) {
  std::string names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    names += word.substr(word.rfind('/') + 1) + ' ';  // npos + 1 is 0
    at = end + 1;
  }
  return names;
}

/// Digests of the files that exist, and of the workload that the table generates.
std::map<std::string, std::string> DigestsOf(const SweepRun& run, const RunArguments& arguments) {
  std::map<std::string, std::string> digests;
  RunArguments others = arguments;
  if (!run.workload_file.empty()) {
    digests["workload_digest"] = BytesDigest(run.workload_text.data(), run.workload_text.size());
    others.workload.clear();
  }
  try {
    for (const Attribute& about : FileAttributes(others))
      digests[about.name] = std::get<std::string>(about.value);
  } catch (const UserError&) {
    // Inputs were moved since: only the command lines are compared.
  }
  return digests;
}

/// Axes that vary together; `first` to `last`, without it.
struct AxisGroup {
  std::size_t first = 0, last = 0, values = 0;
};

std::vector<AxisGroup> GroupsOf(const SweepTable& table) {
  std::vector<AxisGroup> groups;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const int zip = table.axes[axis].zip;
    if (axis > 0 && zip > 0 && zip == table.axes[axis - 1].zip) {
      ++groups.back().last;
    } else {
      groups.push_back({axis, axis + 1, table.axes[axis].values.size()});
    }
  }
  return groups;
}

std::size_t CountRuns(const SweepTable& table, const std::vector<AxisGroup>& groups) {
  std::size_t runs = 1;
  for (const AxisGroup& group : groups) {
    runs *= group.values;
    if (runs > kMostSweepRuns) {
      FailInput({table.file, 0}, fmt::format("more than {} runs", kMostSweepRuns),
                "fewer values in [vary], or several tables");
    }
  }
  return runs;
}

/// For each run the index of each axis' value; the last group changes fastest.
std::vector<std::vector<std::size_t>> Combinations(const SweepTable& table) {
  const std::vector<AxisGroup> groups = GroupsOf(table);
  const std::size_t count = CountRuns(table, groups);
  std::vector<std::vector<std::size_t>> runs(count, std::vector<std::size_t>(table.axes.size()));
  for (std::size_t row = 0; row < count; ++row) {
    std::size_t rest = row;
    for (std::size_t g = groups.size(); g-- > 0;) {
      for (std::size_t axis = groups[g].first; axis < groups[g].last; ++axis)
        runs[row][axis] = rest % groups[g].values;
      rest /= groups[g].values;
    }
  }
  return runs;
}

}  // namespace

std::vector<SweepRun> ExpandSweep(const SweepTable& table) {
  const std::vector<std::vector<std::size_t>> combinations = Combinations(table);
  const std::vector<std::string> names = SweepNames(table, combinations);
  std::vector<std::vector<std::string>> shown;
  for (const SweepAxis& axis : table.axes) shown.push_back(ShownValues(axis));
  std::vector<SweepRun> runs;
  for (std::size_t row = 0; row < combinations.size(); ++row) {
    std::vector<const SweepEntry*> varied;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
      varied.push_back(&table.axes[axis].values[combinations[row][axis]]);
    runs.push_back(RunMaker(table, names[row], varied).Make());
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
      runs.back().shown.push_back(shown[axis][combinations[row][axis]]);
  }
  return runs;
}

bool IsDone(const SweepRun& run) {
  std::error_code ignored;
  if (!std::filesystem::exists(run.result, ignored)) return false;
  try {
    return ResultReader(run.result).complete();
  } catch (const Error&) {
    return false;
  }
}

std::string FindChange(const SweepRun& run) {
  RunArguments now;
  ParseRunArguments(run.words, &now);
  const std::vector<Attribute> was = ResultReader(run.result).ReadAttributes();
  const std::string command = TextOf(was, "command_line").value_or("");
  if (WithoutFolders(command) != WithoutFolders(CommandLine(now)))
    return "was made by '" + Printable(command, 300) + "'";
  const std::optional<std::int64_t> seed = IntegerOf(was, "seed");
  if (seed != static_cast<std::int64_t>(now.seed))
    return fmt::format("was made with --seed {}", seed.value_or(0));
  for (const auto& [name, digest] : DigestsOf(run, now)) {
    if (TextOf(was, name) != digest) return "was made of another file (" + name + ")";
  }
  return "";
}

std::vector<InputFile> InputsOf(const SweepRun& run) {
  RunArguments arguments;
  ParseRunArguments(run.words, &arguments);
  if (!run.workload_file.empty()) arguments.workload.clear();
  return InputFiles(arguments);
}

void WriteInputs(const SweepRun& run, bool force) {
  std::error_code error;
  const std::filesystem::path folder =
      (run.workload_file.empty() ? std::filesystem::path(run.result)
                                 : std::filesystem::path(run.workload_file))
          .parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    std::filesystem::create_directories(folder, error);
    if (error) throw FileError(folder.string() + ": cannot be created: " + error.message());
  }
  if (run.workload_file.empty()) return;
  if (std::filesystem::exists(run.workload_file, error) &&
      ReadTextFile(run.workload_file) == run.workload_text)
    return;
  CheckOutputs({{"collective", run.workload_file}}, InputsOf(run), force);
  WriteText(run.workload_file, run.workload_text);
}

}  // namespace heddle
