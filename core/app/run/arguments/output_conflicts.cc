// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/output_conflicts.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/base/check.h"
#include "io/result/output_path.h"
#include "io/result/result_parts.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The name without links, as far as it exists.
std::string ResolvedName(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(fs::absolute(path), error);
  return error ? fs::path(path).lexically_normal().string() : resolved.string();
}

/// The name in its folder, where the last part may be a link: links are replaced, not followed.
std::string NameInFolder(const std::string& path) {
  const fs::path name(path);
  return (fs::path(ResolvedName(name.has_parent_path() ? name.parent_path() : ".")) /
          name.filename())
      .string();
}

/// Whether writing `output` replaces `path` as one of the files beside it.
bool IsBeside(const std::string& path, const std::string& output) {
  const std::string beside = NameInFolder(output);
  for (const std::string& name : {ResolvedName(path), NameInFolder(path)}) {
    if (name.compare(0, beside.size(), beside) != 0) continue;
    const std::string_view rest = std::string_view(name).substr(beside.size());
    for (const std::string_view end : {".part", ".ckpt"}) {
      if (rest == end || (rest.substr(0, end.size()) == end && rest[end.size()] == '.'))
        return true;
    }
  }
  return false;
}

bool IsFile(const OutputFile& output) {
  return !output.path.empty() && !(output.is_text && IsStandardOutput(output.path));
}

void CheckAgainst(const OutputFile& output, const std::string& flag, const std::string& path) {
  if (path.empty()) return;
  const bool same = IsSameFile(output.path, path);
  if (!same && !IsBeside(path, output.path)) return;
  throw UserError(output.flag + ": " + output.path + " " +
                  (same ? "is another file of this command"
                        : "has its temporary files beside it, and " + path + " is one of them") +
                  " (" + flag + "). Expected: a file of its own");
}

/// The files that a run reads, also the files that environment variables name.
std::vector<InputFile> FilesRead(const RunArguments& run) {
  std::vector<InputFile> files = InputFiles(run);
  for (const TrafficSource& source : TrafficSources()) {
    const char* path = source.variable == nullptr ? nullptr : std::getenv(source.variable);
    if (path != nullptr) files.push_back({source.variable, path});
  }
  return files;
}

/// The outputs that flags name.
std::vector<OutputFile> FilesWritten(const RunArguments& run) {
  return {{"-o", run.output, /*is_text=*/false},
          {"--json-log", run.json_log},
          {"--profile", run.profile}};
}

/// Whether files that an ended run writes before its result may be this run's own, from an earlier
/// start.
bool MayHaveEnded(const RunArguments& run) {
  std::error_code ignored;
  return !run.checkpoint.restart.empty() &&
         (fs::exists(run.output, ignored) || HaveEndedTotals(run.output));
}

}  // namespace

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  if (stat(a.c_str(), &first) != 0 || stat(b.c_str(), &second) != 0)
    return ResolvedName(a) == ResolvedName(b);
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino && !S_ISCHR(first.st_mode);
}

void CheckOutputs(const std::vector<OutputFile>& outputs, const std::vector<InputFile>& others,
                  bool force) {
  for (const OutputFile& output : outputs) {
    if (!IsFile(output)) continue;
    for (const InputFile& other : others) CheckAgainst(output, other.flag, other.path);
    for (const OutputFile& other : outputs) {
      if (&other != &output && IsFile(other)) CheckAgainst(output, other.flag, other.path);
    }
  }
  for (const OutputFile& output : outputs) {
    if (IsFile(output) && !(output.is_text && IsWrittenInPlace(output.path)))
      CheckOutputPath(output.path, force);
  }
}

void CheckRunOutputs(const RunArguments& run) {
  const std::vector<InputFile> inputs = FilesRead(run);
  const bool restarts = !run.checkpoint.restart.empty();
  CheckOutputs(FilesWritten(run), inputs, /*force=*/true);  // conflicts first: --force is no remedy
  CheckOutputs({{"--json-log", run.json_log}}, {}, run.force || restarts);
  if (run.estimate) return;
  CheckOutputs({{"-o", run.output, /*is_text=*/false}}, {}, run.force || restarts);
  CheckOutputs({{"--profile", run.profile}}, {}, run.force || MayHaveEnded(run));
}

void CheckPathLog(const std::string& path, const RunArguments& run) {
  std::vector<InputFile> others = FilesRead(run);
  for (const OutputFile& output : FilesWritten(run)) {
    if (IsFile(output)) others.push_back({output.flag, output.path});
  }
  CheckOutputs({{"controller.log", path}}, others, run.force || MayHaveEnded(run));
}

}  // namespace heddle
