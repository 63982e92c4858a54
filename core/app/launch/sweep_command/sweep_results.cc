// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_results.h"

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "core/app/launch/sweep/run_log.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/options/token_reader.h"
#include "io/result/result_reader.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

/// The row of a task's log, TABLE-JOB_ROW.log; none for other files.
std::optional<std::size_t> RowOfTask(const std::string& file, const std::string& table) {
  const std::string end = ".log", begin = table + "-";
  if (file.size() < end.size() || file.compare(file.size() - end.size(), end.size(), end) != 0 ||
      file.rfind(begin, 0) != 0)
    return std::nullopt;
  const std::string middle = file.substr(begin.size(), file.size() - begin.size() - end.size());
  const std::size_t mark = middle.find('_');
  if (mark == std::string::npos || !ReadNumber<std::uint64_t>(middle.substr(0, mark)))
    return std::nullopt;
  return ReadNumber<std::size_t>(std::string_view(middle).substr(mark + 1));
}

/// The newest log of each task that Slurm ran, by row.
std::map<std::size_t, std::filesystem::path> TaskLogs(const SweepTable& table) {
  const std::string name = std::filesystem::path(table.file).stem().string();
  std::map<std::size_t, std::filesystem::path> logs;
  std::error_code error;
  for (std::filesystem::directory_iterator at(table.output, error), end; !error && at != end;
       at.increment(error)) {
    const auto row = RowOfTask(at->path().filename().string(), name);
    if (!row) continue;
    std::filesystem::path& newest = logs[*row];
    std::error_code ignored;
    if (newest.empty() || std::filesystem::last_write_time(newest, ignored) <
                              std::filesystem::last_write_time(at->path(), ignored))
      newest = at->path();
  }
  return logs;
}

SweepResult ReadComplete(const std::string& result) {
  SweepResult read;
  read.figures = FiguresOf(ResultReader(result));
  read.state = read.figures.completion_us ? RunState::kDone : RunState::kStalled;
  return read;
}

RunState StateWithoutResult(const SweepRun& run, const std::string& reason) {
  std::error_code ignored;
  if (std::filesystem::exists(run.result + ".ckpt", ignored)) return RunState::kSaved;
  return reason.empty() ? RunState::kMissing : RunState::kFailed;
}

}  // namespace

const char* ToText(RunState state) {
  switch (state) {
    case RunState::kDone:
      return "done";
    case RunState::kStalled:
      return "stalled";
    case RunState::kFailed:
      return "failed";
    case RunState::kSaved:
      return "saved";
    case RunState::kMissing:
      return "missing";
  }
  return "";
}

std::vector<SweepResult> ReadSweepResults(const SweepTable& table,
                                          const std::vector<SweepRun>& runs) {
  const std::map<std::size_t, std::filesystem::path> tasks = TaskLogs(table);
  std::vector<SweepResult> results;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    const bool complete = IsDone(runs[row]);
    SweepResult read = complete ? ReadComplete(runs[row].result) : SweepResult();
    if (read.state != RunState::kDone) {
      read.reason = ReadRunLog(LogOf(runs[row])).reason;
      const auto task = tasks.find(row);
      if (read.reason.empty() && task != tasks.end())
        read.reason = ReadRunLog(task->second.string()).reason;
      if (!complete) read.state = StateWithoutResult(runs[row], read.reason);
    }
    results.push_back(std::move(read));
  }
  return results;
}

std::string SweepCsv(const SweepTable& table, const std::vector<SweepRun>& runs,
                     const std::vector<SweepResult>& results,
                     const std::vector<std::optional<bool>>& knees) {
  std::string text = "run";
  for (const SweepAxis& axis : table.axes) text += "," + CsvField(axis.key);
  text += ",state," + FiguresHeader() + ",knee\n";
  for (std::size_t row = 0; row < runs.size(); ++row) {
    text += CsvField(runs[row].name);
    for (const std::string& value : runs[row].values) text += "," + CsvField(value);
    text += std::string(",") + ToText(results[row].state) + "," +
            FiguresLine(results[row].figures) + "," +
            (knees[row] ? (*knees[row] ? "1" : "0") : "") + "\n";
  }
  return text;
}

}  // namespace heddle
