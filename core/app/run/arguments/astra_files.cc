// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/astra_files.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/input/file_kind.h"

namespace heddle {
namespace {

/// Files that are not there, or are no plain files, are left to their reader.
void CheckKind(const char* flag, const std::string& path, FileKind expected, const char* what) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || KindOfFile(path) == expected) return;
  throw UserError(std::string(flag) + ": " + Printable(path) + " does not begin as such a file" +
                  LooksLike(path, expected) + ". Expected: " + what);
}

}  // namespace

void AddAstraNetwork(CLI::App* app, const char* group, RunArguments* run) {
  CLI::Option* topology = app->get_option("-n");
  app->add_option_function<std::string>(
         "--astra-network",
         [run, topology](const std::string& path) {
           topology->required(false);
           run->topology = path;
           run->astra_network = true;
         },
         "network file of ASTRA-SIM, 1.0's or 2's network.yml, instead of -n")
      ->excludes(topology)
      ->type_name("FILE")
      ->group(group);
}

void AddAstraSystem(CLI::App* app, const char* group, RunArguments* run) {
  app->add_option_function<std::string>(
         "--astra-system",
         [run](const std::string& path) {
           run->conf = path;
           run->astra_system = true;
         },
         "system file of ASTRA-SIM, 1.0's or 2's system.json, instead of -c")
      ->excludes(app->get_option("-c"))
      ->type_name("FILE")
      ->group(group);
}

void CheckAstraFiles(const RunArguments& run) {
  if (run.astra_network)
    CheckKind("--astra-network", run.topology, FileKind::kScaleUp,
              "a network file of ASTRA-SIM, lines such as 'num-npus: 8' or 'npus_count: [8]'");
  if (run.astra_system)
    CheckKind("--astra-system", run.conf, FileKind::kSystem,
              "a system file of ASTRA-SIM, with keys such as 'scheduling-policy: LIFO', or JSON");
}

}  // namespace heddle
