// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/finished_run.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/output/path_log.h"
#include "core/base/check.h"
#include "core/base/table.h"
#include "core/checkpoint/checkpoint_file.h"
#include "io/result/result_parts.h"
#include "io/result/result_reader.h"
#include "io/table/result_format.h"

namespace heddle {
namespace {

using Values = std::map<std::string, std::string>;

/// Texts and integers, as in a RunIdentity.
Values ValuesOf(const std::vector<Attribute>& attributes) {
  Values values;
  for (const Attribute& attribute : attributes) {
    if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
      values[attribute.name] = std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&attribute.value))
      values[attribute.name] = *text;
  }
  return values;
}

/// What differs between the run that made the result and this one.
std::string DescribeDifference(const Values& result, const RunIdentity& identity) {
  for (const auto& [name, value] : identity) {
    const auto found = result.find(name);
    if (found == result.end() || found->second == value) continue;
    return fmt::format("it has {} {}; this run has {}", name, Printable(found->second, 200),
                       Printable(value, 200));
  }
  const auto command = result.find("command_line");
  return fmt::format("it was made by '{}'",
                     command == result.end() ? "" : Printable(command->second, 300));
}

/// Null if the file is something else than a complete result.
std::unique_ptr<ResultReader> OpenComplete(const std::string& path) {
  try {
    auto result = std::make_unique<ResultReader>(path);
    if (result->complete()) return result;
  } catch (const Error&) {
  }
  return nullptr;
}

}  // namespace

bool IsFinished(const RunArguments& run, const RunIdentity& identity) {
  const std::string& restart = run.checkpoint.restart;
  const bool is_auto = restart == "auto";
  if (!is_auto && (restart.empty() || !IsSameFile(restart, ManifestPath(run.output)))) return false;
  std::error_code ignored;
  if (!std::filesystem::exists(run.output, ignored)) return false;
  const std::unique_ptr<ResultReader> opened = OpenComplete(run.output);
  if (opened == nullptr) return false;
  const ResultReader& result = *opened;
  if (ValuesOf(result.ReadAttributes(kRunGroup))[kIdentityAttribute] == IdentityDigest(identity))
    return true;
  if (run.force || !is_auto) return false;
  throw FileError(fmt::format(
      "{}: is the complete result of another run: {}. Expected: another -o, or --force to replace "
      "it",
      run.output, DescribeDifference(ValuesOf(result.ReadAttributes()), identity)));
}

void EndFinishedRun(const RunArguments& run, const std::string& path_log) {
  const ResultReader result(run.output);
  std::error_code ignored;
  if (!path_log.empty() && !std::filesystem::exists(path_log, ignored) && HasPathLog(result))
    WritePathLog(path_log, result);
  ClearResultParts(run.output, /*force=*/true);
  RemoveCheckpoint(run.output);
  Values found = ValuesOf(result.ReadAttributes());
  if (found["flows_finished"] == found["flows_planned"]) return;
  throw Error(ExitCode::kStalled,
              fmt::format("{}: is complete already, and the run had stalled: {} of {} flows "
                          "finished. /flows/state of the result says what became of the others",
                          run.output, found["flows_finished"], found["flows_planned"]));
}

}  // namespace heddle
