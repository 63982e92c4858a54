// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/patience_option.h"

#include "core/app/base/cli/wall_time.h"

namespace heddle {
namespace {

constexpr const char* kNever = "never";

}  // namespace

void AddPatienceArgument(CLI::App* app, const char* group, RunArguments* run) {
  app->add_option("--patience", run->patience,
                  "end the run, with exit code 8, when a rank that hangs has kept the others "
                  "waiting so long, by the clock; ten "
                  "times as long while files are read and written")
      ->capture_default_str()
      ->type_name("never|TIME")
      ->group(group);
}

double PatienceOf(const RunArguments& run) {
  return run.patience == kNever ? 0 : ParseWallTime("--patience", run.patience);
}

}  // namespace heddle
