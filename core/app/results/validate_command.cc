// SPDX-License-Identifier: GPL-2.0-only
/// `heddle validate`: checks result files against docs/formats/result.md.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/app/cli/commands.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/base/check.h"
#include "core/base/quantity_text.h"
#include "core/base/units.h"
#include "io/check/result_validation.h"
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

/// Checks completeness only, in constant time.
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

}  // namespace

int ValidateCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  bool quiet = false, complete = false;
  CLI::App app(
      "Check result files: structure, types, units, values, order of rows, sums, digest of flows. "
      "Exit code 3 if one is "
      "not as docs/formats/result.md says.",
      "validate");
  app.add_option("FILE", files, "result files (HDF5)")->required()->type_name("FILE");
  app.add_flag("-q,--quiet", quiet, "no text, only the exit code");
  app.add_flag("--complete", complete,
               "look at nothing but whether the runs ended: exit code 1 if one did not");
  app.footer(Examples({"heddle validate result.h5",
                       "heddle validate --complete -q result.h5 && echo \"nothing left to do\"",
                       "heddle validate -q *.h5 || echo \"one is damaged\""}));
  if (!ParseArguments(&app, arguments)) return 0;
  if (complete) return AllComplete(files, quiet);
  bool valid = true;
  for (const std::string& file : files) {
    const ResultValidation found = ValidateResult(file);
    valid = valid && found.findings.empty();
    if (!quiet) PrintText(Describe(file, found));
  }
  return static_cast<int>(valid ? ExitCode::kDone : ExitCode::kBadInput);
}

}  // namespace heddle
