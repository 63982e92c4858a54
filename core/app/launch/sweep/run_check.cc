// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_check.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/setup/environment.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/check.h"
#include "core/mpi/communicator.h"

namespace heddle {
namespace {

/// A folder of its own for files that will be elsewhere; it goes with this object.
class Rehearsal {
 public:
  explicit Rehearsal(const std::vector<FutureFile>& future) {
    if (future.empty()) return;
    std::string path = (std::filesystem::temp_directory_path() / "heddle.XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw FileError(path + ": cannot be made: " + std::strerror(errno));
    folder_ = path;
    for (const FutureFile& file : future) {
      // The name is kept, as messages and the kind of a file may depend on it.
      const std::filesystem::path place = folder_ / std::to_string(places_.size());
      std::filesystem::create_directory(place);
      places_.emplace_back(file.path,
                           (place / std::filesystem::path(file.path).filename()).string());
      WriteText(places_.back().second, file.text);
    }
  }
  ~Rehearsal() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  /// The word with which the run's files are read here.
  std::string Here(const std::string& word) const {
    for (const auto& [path, place] : places_) {
      if (word == path) return place;
    }
    return word;
  }
  /// A message with the paths that the files will have.
  std::string There(std::string message) const {
    for (const auto& [path, place] : places_) {
      for (std::size_t at = 0; (at = message.find(place, at)) != std::string::npos;
           at += path.size())
        message.replace(at, place.size(), path);
    }
    return message;
  }

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> places_;  // by path of the file
};

std::vector<std::string> ReadInputs(const std::vector<std::string>& words, std::uint32_t ranks) {
  RunArguments arguments;
  if (!ParseRunArguments(words, &arguments)) return {};
  const Environment environment = SharedEnvironment(Communicator::Serial());
  ResolveTraffic(environment, &arguments);
  RunInput input;
  LoadRun(arguments, ranks, environment, &input);
  return std::move(input.warnings);
}

}  // namespace

std::vector<std::string> CheckRun(const std::vector<std::string>& words, std::uint32_t ranks,
                                  const std::vector<FutureFile>& future) {
  const Rehearsal rehearsal(future);
  std::vector<std::string> here;
  for (const std::string& word : words) here.push_back(rehearsal.Here(word));
  try {
    std::vector<std::string> warnings = ReadInputs(here, ranks);
    for (std::string& warning : warnings) warning = rehearsal.There(std::move(warning));
    return warnings;
  } catch (const UsageError& error) {
    throw UsageError(rehearsal.There(error.what()));
  } catch (const UserError& error) {
    throw UserError(rehearsal.There(error.what()));
  }
}

void CheckFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path place = std::filesystem::absolute(folder, ignored);
  while (!std::filesystem::exists(place, ignored) && place.has_relative_path())
    place = place.parent_path();
  if (std::filesystem::is_directory(place, ignored)) return;
  const bool itself = std::filesystem::exists(folder, ignored);
  throw FileError(fmt::format("{}: {} a file. Expected: a folder, which may be new",
                              Printable(folder, 300),
                              itself ? "is" : Printable(place.string(), 300) + " is"));
}

std::vector<std::size_t> RunsToCheck(const std::vector<SweepRun>& runs) {
  std::vector<std::size_t> rows;
  std::set<std::pair<std::size_t, std::string>> seen_values;  // by axis
  std::set<std::vector<std::string>> seen_files;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    std::vector<std::string> files;
    for (const InputFile& file : InputsOf(runs[row])) files.push_back(file.path);
    bool is_new = seen_files.insert(std::move(files)).second;
    for (std::size_t axis = 0; axis < runs[row].values.size(); ++axis)
      is_new |= seen_values.emplace(axis, runs[row].values[axis]).second;
    if (is_new) rows.push_back(row);
  }
  return rows;
}

}  // namespace heddle
