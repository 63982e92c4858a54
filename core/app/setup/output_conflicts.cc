// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/output_conflicts.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "core/app/cli/output_text.h"
#include "core/app/setup/input_files.h"
#include "core/base/check.h"

namespace heddle {

bool IsSameFile(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code of_a, of_b;
  const fs::path first = fs::weakly_canonical(a, of_a), second = fs::weakly_canonical(b, of_b);
  return of_a || of_b ? fs::path(a).lexically_normal() == fs::path(b).lexically_normal()
                      : first == second;
}

void CheckOwnFile(const std::string& flag, const std::string& path, const RunArguments& run) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"-o", run.output}, {"--json-log", run.json_log}, {"--profile", run.profile}};
  for (const InputFile& input : InputFiles(run)) files.emplace_back(input.flag, input.path);
  for (const auto& [other_flag, other] : files) {
    if (other.empty() || IsStandardOutput(other) || other_flag == flag || !IsSameFile(other, path))
      continue;
    throw UserError(flag + ": " + path + " is another file of this run (" + other_flag +
                    "). Expected: a file of its own");
  }
}

void CheckNotOverInput(const std::string& path, const std::string& input) {
  if (path.empty() || IsStandardOutput(path) || !IsSameFile(path, input)) return;
  throw UserError(path + ": is read by this command. Expected: another file to write to");
}

}  // namespace heddle
