// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/accuracy/accuracy_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/check.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

/// A file's name without folder and extension.
std::string Stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

namespace {

constexpr char kOption = ':';  // before the option of a backend

BackendKind KindOf(const std::string& backend) {
  return ParseBackendKind(backend.substr(0, backend.find(kOption)));
}

/// The option behind the colon, KEY=VALUE; empty: none.
std::string OptionOf(const std::string& backend) {
  const std::size_t colon = backend.find(kOption);
  return colon == std::string::npos ? "" : backend.substr(colon + 1);
}

/// As a part of a file's name.
std::string WordOf(std::string backend) {
  for (char& letter : backend) {
    if (letter == kOption || letter == '=') letter = '_';
  }
  return backend;
}

}  // namespace

void AddArguments(CLI::App* app, AccuracyArguments* given) {
  app->add_option("-n,--network", given->fabrics, "fabrics, as heddle run reads them")
      ->required()
      ->type_name("FILE ...");
  app->add_option("-w,--workload", given->workloads, "workloads, as heddle run reads them")
      ->required()
      ->type_name("FILE ...");
  app->add_option("--backends", given->backends,
                  "backends of heddle run, with an option of theirs behind a colon, as in "
                  "packet,flow,flow:flow.detail=streams; the others are compared with the first")
      ->type_name("NAMES")
      ->capture_default_str();
  app->add_option("--set", given->settings, "an option of each run (heddle options); repeatable")
      ->type_name("KEY=VALUE");
  app->add_option("--calibration", given->calibration,
                  "measured values for the backends that take them (heddle calibrate)")
      ->type_name("FILE");
  app->add_option("--like", given->like, "nccl or simai, as of heddle run")->type_name("NAME");
  app->add_option("-o,--output", given->folder, "folder of the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  app->add_option("--csv", given->csv, "a row a kind of collective, to this file (\"-\": screen)")
      ->type_name("FILE");
  app->add_flag("--force", given->force, "run again what has a result, and replace files");
  AddJsonFlag(app, &given->json);
}

std::vector<std::string> BackendsOf(const AccuracyArguments& given) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= given.backends.size();) {
    const std::size_t comma = std::min(given.backends.find(',', at), given.backends.size());
    names.push_back(given.backends.substr(at, comma - at));
    at = comma + 1;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    KindOf(names[i]);
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw UsageError(fmt::format("--backends: '{}' twice. Expected: different ones", names[i]));
  }
  if (names.size() < 2)
    throw UsageError(
        fmt::format("--backends: found '{}' alone. Expected: two or more, as in packet,analytical",
                    Printable(given.backends)));
  return names;
}

SweepRun RunOf(const AccuracyArguments& given, const std::string& fabric,
               const std::string& workload, const std::string& backend) {
  SweepRun run;
  run.name = fmt::format("{}_{}_{}", Stem(fabric), Stem(workload), WordOf(backend));
  run.result = (std::filesystem::path(given.folder) / (run.name + ".h5")).string();
  run.words = {"-n",     fabric,      "-w",
               workload, "--backend", backend.substr(0, backend.find(kOption)),
               "-o",     run.result,  "--quiet"};
  std::vector<std::string> settings = given.settings;
  if (const std::string option = OptionOf(backend); !option.empty()) settings.push_back(option);
  for (const std::string& setting : settings) {
    run.words.emplace_back("--set");
    run.words.push_back(setting);
  }
  if (!given.like.empty()) {
    run.words.emplace_back("--like");
    run.words.push_back(given.like);
  }
  if (!given.calibration.empty() && TakesCalibration(KindOf(backend))) {
    run.words.emplace_back("--calibration");
    run.words.push_back(given.calibration);
  }
  if (given.force) {
    run.words.emplace_back("--force");
  } else if (KindOf(backend) != BackendKind::kPhysical) {  // measured runs do not go on
    run.words.insert(run.words.end(), {"--restart", "auto"});
  }
  return run;
}

}  // namespace heddle
