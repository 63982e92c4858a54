// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/sweep/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <variant>

#include "core/app/arguments/output_conflicts.h"
#include "core/app/arguments/run_flags.h"
#include "core/app/arguments/traffic_sources.h"
#include "core/app/cli/file_digest.h"
#include "core/app/cli/output_text.h"
#include "core/app/recorder/run_attributes.h"
#include "core/options/nccl_names.h"
#include "io/check/attribute_validation.h"
#include "io/input/text_file.h"
#include "io/result/result_reader.h"
#include "io/simai/simai_workload.h"

namespace heddle {
namespace {

// Characters; file systems allow 255 bytes, and endings such as .h5.part.rank15 follow.
constexpr std::size_t kLongestName = 200;

std::string SizeWord(const std::string& bytes) {
  const std::int64_t count = std::stoll(bytes);
  const std::pair<int, const char*> units[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : units) {
    if (count > 0 && count % (std::int64_t{1} << shift) == 0)
      return std::to_string(count >> shift) + unit;
  }
  return std::to_string(count) + "B";
}

/// The word of a value in a run's name: a file without its ending, a size with its unit, KEY-VALUE
/// otherwise.
std::string NameWord(const SweepEntry& entry) {
  std::string word = entry.key + "-" + entry.value;
  if (NamesFile(entry.key)) word = std::filesystem::path(entry.value).stem().string();
  if (entry.key == "size") word = SizeWord(entry.value);
  if (entry.key == "collective") word = entry.value;
  for (char& letter : word) {
    const bool mark = std::string_view("._+-").find(letter) != std::string_view::npos;
    if (!mark && std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  }
  return word;
}

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
  RunMaker(const SweepTable& table, const std::vector<const SweepEntry*>& varied) : table_(table) {
    for (const SweepEntry& entry : table.fixed) Add(entry);
    for (const SweepEntry* entry : varied) {
      Add(*entry);
      run_.name += (run_.name.empty() ? "" : "_") + NameWord(*entry);
      run_.values.push_back(NamesFile(entry->key)
                                ? std::filesystem::path(entry->value).filename().string()
                                : entry->value);
    }
    if (varied.empty()) run_.name = "run";
  }

  SweepRun Make() {
    if (run_.name.size() > kLongestName) {
      Fail(fmt::format("a name of {} bytes", run_.name.size()),
           "at most 200: shorter names of files, or fewer keys");
    }
    if (run_.name[0] == '.' || run_.name[0] == '-') run_.name[0] = '_';
    AddCollective();
    run_.result = (std::filesystem::path(table_.output) / (run_.name + ".h5")).string();
    run_.words.insert(run_.words.end(), {"-o", run_.result, "--restart", "auto"});
    CheckWords();
    return std::move(run_);
  }

 private:
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput({table_.file, 0}, "run '" + Printable(run_.name) + "': " + found, expected);
  }

  void Add(const SweepEntry& entry) {
    const std::string flag = FlagOfRunKey(entry.key);
    if (entry.key == "collective" || entry.key == "size") {
      (entry.key == "size" ? size_ : collective_) = entry.value;
      last_ = entry.where;
    } else if (entry.key == "record") {
      AddRecords(entry.value, &run_.words);
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

std::size_t CountRuns(const SweepTable& table) {
  std::size_t runs = 1;
  for (const SweepAxis& axis : table.axes) {
    runs *= axis.values.size();
    if (runs > kMostSweepRuns) {
      FailInput({table.file, 0}, fmt::format("more than {} runs", kMostSweepRuns),
                "fewer values in [vary], or several tables");
    }
  }
  return runs;
}

}  // namespace

std::vector<SweepRun> ExpandSweep(const SweepTable& table) {
  const std::size_t count = CountRuns(table);
  std::vector<SweepRun> runs;
  std::map<std::string, std::size_t> names;
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<const SweepEntry*> varied(table.axes.size());
    std::size_t rest = row;
    for (std::size_t axis = table.axes.size(); axis-- > 0;) {
      const std::vector<SweepEntry>& values = table.axes[axis].values;
      varied[axis] = &values[rest % values.size()];
      rest /= values.size();
    }
    runs.push_back(RunMaker(table, varied).Make());
    const auto [known, added] = names.emplace(runs.back().name, row);
    if (!added) {
      FailInput({table.file, 0},
                fmt::format("runs {} and {} have the name '{}'", known->second, row,
                            Printable(known->first)),
                "different values in each list, and files of different names");
    }
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
