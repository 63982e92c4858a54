// SPDX-License-Identifier: GPL-2.0-only
/// `heddle recover`: makes a result from the files of a run that was killed or could not write its
/// result.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/printable.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/system/output_lock.h"
#include "io/result/attribute_map.h"
#include "io/result/result_parts.h"
#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/sort_row_log.h"
#include "io/table/result_format.h"

namespace heddle {
namespace {

std::string Describe(const RunTotals& totals) {
  if (totals.ended) return "the run had ended: nothing is missing";
  return fmt::format("everything up to {} (flush {}); complete = 0", ToText(totals.until),
                     totals.flush);
}

/// The sorted logs, as temporary files beside the output because the disk of the logs may be full.
/// The destructor deletes them.
class SortedLogs {
 public:
  SortedLogs(const std::vector<std::string>& logs, std::uint64_t flush, const std::string& output) {
    for (const std::string& log : logs) {
      paths_.push_back(
          SortedPartPath(StreamPartPath(output, static_cast<std::uint32_t>(paths_.size()))));
      SortStream(log, flush, {}, paths_.back());
    }
  }
  ~SortedLogs() {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }
  SortedLogs(const SortedLogs&) = delete;
  SortedLogs& operator=(const SortedLogs&) = delete;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

std::unique_ptr<ResultReader> OpenIfThere(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return nullptr;
  try {
    return std::make_unique<ResultReader>(path);
  } catch (const Error&) {
    return nullptr;
  }
}

/// Whether `result` is complete and of the run that left what is beside it: the run was killed
/// while it deleted its parts.
bool IsComplete(const std::string& result) {
  const std::unique_ptr<ResultReader> whole = OpenIfThere(result);
  if (whole == nullptr || !whole->complete()) return false;
  const std::unique_ptr<ResultReader> totals = OpenIfThere(TotalsPath(result));
  if (totals == nullptr) return true;
  const AttributeMap of_whole(whole->ReadAttributes(kRunGroup)),
      of_totals(totals->ReadAttributes(kRunGroup));
  return HaveEndedTotals(result) && of_whole.Text("started") == of_totals.Text("started") &&
         of_whole.Text("identity") == of_totals.Text("identity");
}

/// The names of everything that a run has left.
std::vector<InputFile> FilesLeft(const std::string& result) {
  std::vector<InputFile> files;
  for (const std::string& part : FindResultParts(result)) files.push_back({"RESULT", part});
  for (const std::string& pieces : FindPieceFiles(result, 0)) files.push_back({"RESULT", pieces});
  files.push_back({"RESULT", ManifestPath(result)});
  return files;
}

/// Throws UserError if there are no rows, because a result without them would hide that they are
/// lost.
void CheckHasRows(const std::string& result, const std::vector<std::string>& logs,
                  const RunTotals& totals) {
  if (!logs.empty() && totals.flush > 0) return;
  throw UserError(fmt::format(
      "{}: {}. Expected: {}.part.rank0 and following, as the run left them", TotalsPath(result),
      logs.empty() ? "the row logs beside it are gone" : "no row log is whole up to any flush",
      result));
}

/// Under its name when it is whole.
void Copy(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  const std::string part = to + ".part";
  std::error_code error, ignored;
  fs::copy_file(from, part, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(part, to, error);
  if (!error) return;
  fs::remove(part, ignored);
  throw FileError(fmt::format("{}: cannot be copied to {} ({})", from, to, error.message()));
}

void Recover(const std::string& result, const std::string& output, bool force) {
  const bool same = IsSameFile(result, output);
  CheckOutputs({{"-o", output, /*is_text=*/false}},
               same ? std::vector<InputFile>() : FilesLeft(result), /*force=*/true);
  const bool complete = IsComplete(result);
  if (complete && same) {
    PrintText(fmt::format("{}: complete already, nothing to recover\n", result));
    return;
  }
  CheckOutputs({{"-o", output, /*is_text=*/false}}, {}, force);
  const OutputLock lock(output, force);
  if (complete) {
    Copy(result, output);
    PrintText(fmt::format("{}: complete already, copied to {}\n", result, output));
    return;
  }
  RunTotals totals = ReadTotals(result);
  std::vector<std::string> logs = FindStreamParts(result);
  for (const std::string& finding : TruncateToLogs(&logs, &totals)) {
    PrintWarning(finding + "; totals are of the later moment");
  }
  CheckHasRows(result, logs, totals);
  SortedLogs sorted(logs, totals.flush, output);
  ResultWriter writer(output, force, nullptr);
  AssembleResult(totals, logs, &writer, sorted.paths());
  writer.Close(totals.ended);
  PrintText(fmt::format("{}: {}\n", output, Describe(totals)));
  const std::size_t parts = FindResultParts(result).size();
  std::error_code ignored;
  if (!std::filesystem::exists(ManifestPath(result), ignored)) {
    PrintText(fmt::format("made of {} files {}.part.*, which can be deleted now\n", parts, result));
    return;
  }
  PrintText(fmt::format(
      "made of {} files {}.part.*, which the checkpoint {} still needs: the run's command with "
      "--restart auto{} goes on\n",
      parts, result, ManifestPath(result), output == result ? " --force" : ""));
}

}  // namespace

int RecoverCommand(const std::vector<std::string>& arguments) {
  CLI::App app("Make a result of what a run has left that was killed, or could not write its own.",
               "recover");
  std::string result, output;
  bool force = false;
  app.add_option("RESULT", result, "name that the run was to give its result (-o)")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", output, "write to this file instead of RESULT")->type_name("FILE");
  app.add_flag("--force", force, "replace an existing file");
  app.footer(Examples(
      {"heddle recover result.h5", "heddle recover result.h5 -o /another/disk/result.h5"}));
  if (!ParseArguments(&app, arguments)) return 0;
  Recover(result, output.empty() ? result : output, force);
  return 0;
}

}  // namespace heddle
