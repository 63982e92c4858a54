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

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/quantity_text.h"
#include "core/system/limited_child.h"
#include "io/check/result_validation.h"
#include "io/hdf5/file_seal.h"
#include "io/result/result_reader.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kValidateSchema = 1;

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

PrintedColumns<Finding> FindingColumns() {
  return {{"place", [](const Finding& finding) { return NullIfEmpty(finding.place); }},
          {"text", [](const Finding& finding) { return finding.text; }}};
}

OrderedJson FileJson(const std::string& file, const ResultValidation& found) {
  return {{"file", file},
          {"valid", found.findings.empty()},
          {"complete", found.complete},
          {"until_ps", found.complete ? OrderedJson(nullptr) : OrderedJson(found.until_ps)},
          {"format", NullIfEmpty(found.version)},
          {"tables", found.tables},
          {"rows", found.rows},
          {"digest_checked", found.digest_checked},
          {"sealed_now", false},
          {"findings", PrintedList(FindingColumns(), found.findings)}};
}

/// What is said of the files: as text at once, as JSON in one object at the end.
enum class Said { kNothing, kText, kJson };

/// A sheet on which a process of its own writes what it found, for this one.
class Sheet {
 public:
  Sheet() : file_(std::tmpfile()) {
    if (file_ == nullptr)
      throw FileError(fmt::format("a temporary file: cannot be made: {}", std::strerror(errno)));
  }
  ~Sheet() { std::fclose(file_); }
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  /// Whether all of it was written.
  bool Write(const OrderedJson& object) const {
    return std::fputs(JsonText(object).c_str(), file_) >= 0 && std::fflush(file_) == 0;
  }
  /// Null if nothing was written.
  OrderedJson Read() const {
    std::string text;
    std::rewind(file_);
    for (int c; (c = std::fgetc(file_)) != EOF;) text += static_cast<char>(c);
    return OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  }

 private:
  std::FILE* file_;
};

/// Checks files one after the other.
class Validator {
 public:
  explicit Validator(Said said) : said_(said) {}

  bool Check(const std::string& file, SealRule rule) {
    const ResultValidation found = ValidateResult(file, rule);
    if (said_ == Said::kText) PrintText(Describe(file, found));
    if (said_ == Said::kJson) files_.push_back(FileJson(file, found));
    return found.findings.empty();
  }

  bool CheckSealed(const std::string& file);
  bool CheckAndSeal(const std::string& file);

  /// Prints the object, if it is wanted.
  void End() const {
    if (said_ != Said::kJson) return;
    OrderedJson document = JsonDocument("validate", kValidateSchema);
    document["files"] = files_;
    PrintJson(document);
  }

 private:
  bool CheckApart(const std::string& file, SealRule rule);

  Said said_;
  std::vector<OrderedJson> files_;
};

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
bool Validator::CheckApart(const std::string& file, SealRule rule) {
  constexpr std::uint64_t kBytesPerSecond = 1 << 20;
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(file, ignored);
  ChildLimits limits;
  limits.cpu_seconds += static_cast<unsigned>(bytes / kBytesPerSecond);
  limits.memory_bytes += 4 * bytes;
  const Sheet sheet;
  const ChildEnd child = RunInChild(limits, [&] {
    try {
      const bool valid = Check(file, rule);
      const bool written = said_ != Said::kJson || sheet.Write(files_.back());
      return valid && written ? 0 : 1;
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
  if (said_ != Said::kJson) return child.exit_code == 0;
  files_.push_back(sheet.Read());
  if (files_.back().is_discarded()) throw UserError(fmt::format("{}: could not be checked", file));
  return child.exit_code == 0;
}

/// What has no seal is refused before HDF5 reads it.
bool Validator::CheckSealed(const std::string& file) {
  return ReadSeal(file) == SealState::kSound ? CheckApart(file, SealRule::kRequired)
                                             : Check(file, SealRule::kRequired);
}

/// Checks a file and seals it if it is valid.
bool Validator::CheckAndSeal(const std::string& file) {
  if (ReadSeal(file) != SealState::kMissing) return CheckSealed(file);
  if (!CheckApart(file, SealRule::kMayBeMissing)) return false;
  if (!AppendSeal(file))
    throw FileError(fmt::format("{}: cannot be sealed ({})", file, std::strerror(errno)));
  if (said_ == Said::kText) PrintText(fmt::format("{}: sealed\n", file));
  if (said_ == Said::kJson) files_.back()["sealed_now"] = true;
  return true;
}

}  // namespace

int ValidateCommand(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  bool quiet = false, complete = false, reseal = false, json = false;
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
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle validate result.h5",
                       "heddle validate --complete -q result.h5 && echo \"nothing left to do\"",
                       "heddle validate -q *.h5 || echo \"one is damaged\"",
                       "h5repack result.h5 small.h5 && heddle validate --reseal small.h5"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonWithout(json, {{"--quiet", quiet}, {"--complete", complete}});
  if (complete) return AllComplete(files, quiet);
  Validator validator(json ? Said::kJson : quiet ? Said::kNothing : Said::kText);
  bool valid = true;
  for (const std::string& file : files) {
    const bool good = reseal ? validator.CheckAndSeal(file) : validator.CheckSealed(file);
    valid = valid && good;
  }
  validator.End();
  return static_cast<int>(valid ? ExitCode::kDone : ExitCode::kBadInput);
}

}  // namespace heddle
