// SPDX-License-Identifier: GPL-2.0-only
/// `heddle validate`: checks result files against docs/formats/result.md.
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/app/cli/commands.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/cli/terminal.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/quantity_text.h"
#include "core/system/limited_child.h"
#include "io/check/result_validation.h"
#include "io/hdf5/file_seal.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

std::string Describe(const std::string& file, const ResultValidation& found) {
  if (found.findings.empty()) {
    std::string text = fmt::format("{}: valid (format {}, {} tables, {} rows{})\n", file,
                                   found.version, found.tables, GroupedDigits(found.rows),
                                   found.digest_checked ? ", digest of flows checked" : "");
    if (!found.complete) {
      text += fmt::format(
          "{}: note: the run did not end; all up to {} is here, and sums were not checked\n", file,
          ToText(Time{found.until_ps}));
    }
    return text;
  }
  std::string text = fmt::format("{}: invalid, {} finding{}\n", file, found.findings.size(),
                                 found.findings.size() == 1 ? "" : "s");
  for (const Finding& finding : found.findings) {
    text +=
        fmt::format("  {}{}{}\n", finding.place, finding.place.empty() ? "" : ": ", finding.text);
  }
  return text;
}

/// Whether the file is valid; prints what was found.
bool Check(const std::string& file, SealRule rule, bool quiet) {
  const ResultValidation found = ValidateResult(file, rule);
  if (!quiet) PrintText(Describe(file, found));
  return found.findings.empty();
}

/// Checks seal and completeness only.
int AllComplete(const std::vector<std::string>& files, bool quiet) {
  bool all = true;
  for (const std::string& file : files) {
    const bool complete = ResultReader(file).complete();
    all = all && complete;
    if (!quiet)
      PrintText(fmt::format("{}: the run {}\n", file, complete ? "ended" : "did not end"));
  }
  return static_cast<int>(all ? ExitCode::kDone : ExitCode::kDifferent);
}

/// Checks a file in a process of its own: libhdf5 crashes on some files and reads others endlessly,
/// and a seal is no signature. Throws UserError if that process did not end by itself.
bool CheckApart(const std::string& file, SealRule rule, bool quiet) {
  constexpr std::uint64_t kBytesPerSecond = 1 << 20;
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file, ignored);
  ChildLimits limits;
  limits.cpu_seconds += static_cast<unsigned>(bytes / kBytesPerSecond);
  limits.memory_bytes += 4 * bytes;
  const ChildEnd child = RunInChild(limits, [&] {
    try {
      return Check(file, rule, quiet) ? 0 : 1;
    } catch (const std::exception& error) {
      PrintError(fmt::format("{}: {}", file, error.what()));
      return 1;
    }
  });
  if (!child.failure.empty())
    throw UserError(
        fmt::format("{}: damaged: the process that read it {}. Expected: a whole "
                    "result of heddle",
                    file, child.failure));
  return child.exit_code == 0;
}

/// What has no seal is refused before HDF5 reads it.
bool CheckSealed(const std::string& file, bool quiet) {
  return ReadSeal(file) == SealState::kSound ? CheckApart(file, SealRule::kRequired, quiet)
                                             : Check(file, SealRule::kRequired, quiet);
}

/// Checks a file and seals it if it is valid.
bool CheckAndSeal(const std::string& file, bool quiet) {
  if (ReadSeal(file) != SealState::kMissing) return CheckSealed(file, quiet);
  if (!CheckApart(file, SealRule::kMayBeMissing, quiet)) return false;
  if (!AppendSeal(file))
    throw FileError(fmt::format("{}: cannot be sealed ({})", file, std::strerror(errno)));
  if (!quiet) PrintText(fmt::format("{}: sealed\n", file));
  return true;
}

}  // namespace

int ValidateCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  bool quiet = false, complete = false, reseal = false;
  CLI::App app(
      "Check result files: their seal (checksum), structure, types, units, values, order of rows, "
      "sums, digest of flows. Exit code 3 if one is not as docs/formats/result.md says.",
      "validate");
  app.add_option("FILE", files, "result files (HDF5)")->required()->type_name("FILE");
  app.add_flag("-q,--quiet", quiet, "no text, only the exit code");
  app.add_flag("--complete", complete,
               "look at nothing but whether the runs ended: exit code 1 if one did not");
  app.add_flag(
         "--reseal", reseal,
         "check files that another program changed (h5repack, h5py), in a process with limits, "
         "and seal those that are valid, so that other commands read them")
      ->excludes("--complete");
  app.footer(Examples({"heddle validate result.h5",
                       "heddle validate --complete -q result.h5 && echo \"nothing left to do\"",
                       "heddle validate -q *.h5 || echo \"one is damaged\"",
                       "h5repack result.h5 small.h5 && heddle validate --reseal small.h5"}));
  if (!ParseArguments(&app, arguments)) return 0;
  if (complete) return AllComplete(files, quiet);
  bool valid = true;
  for (const std::string& file : files) {
    const bool good = reseal ? CheckAndSeal(file, quiet) : CheckSealed(file, quiet);
    valid = valid && good;
  }
  return static_cast<int>(valid ? ExitCode::kDone : ExitCode::kBadInput);
}

}  // namespace heddle
