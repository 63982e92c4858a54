// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/demo/demo_plan.h"

#include <filesystem>

#include "core/app/base/cli/parse_arguments.h"

namespace heddle {
namespace {

constexpr const char* kGpus = "64";

std::string InDemo(const DemoArguments& given, const char* name) {
  return (std::filesystem::path(given.folder) / name).string();
}

std::vector<std::string> ComparisonWords(const std::string& step, const std::string& folder) {
  return {"spectrum-x", "dcn-singletor -npa 16", "-g", kGpus, "-w", step, "-o", folder};
}

}  // namespace

bool ParseDemoArguments(const std::vector<std::string>& arguments, DemoArguments* given) {
  CLI::App app(
      "Make two fabrics, run a small training step on both, write a page that compares them, and "
      "say what to look at and what to try next. It needs no file and takes a few seconds.\n"
      "Given again it runs nothing twice.",
      "demo");
  app.add_option("-o,--output", given->folder, "folder of fabrics, results and page")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_flag("--force", given->force, "run again, and replace files that are not a demo's, too");
  app.footer(Examples({"heddle demo", "heddle demo -o /tmp/demo"}));
  if (!ParseArguments(&app, arguments)) return false;
  if (given->folder.empty())
    throw UsageError("-o: found an empty name. Expected: a folder, such as heddle-demo");
  return true;
}

DemoPlan MakeDemoPlan(const DemoArguments& given) {
  DemoPlan plan;
  plan.folder = given.folder;
  plan.step = InDemo(given, "step.txt");
  plan.workload = {"gpt",  "--gpus",         kGpus,  "--tp",       "8",    "--layers",
                   "2",    "--hidden",       "4096", "--sequence", "1024", "--vocabulary",
                   "8192", "--global-batch", "32"};
  plan.comparison = ComparisonWords(plan.step, given.folder);
  if (given.force) plan.comparison.emplace_back("--force");
  plan.variant = ComparisonWords(plan.step, InDemo(given, "queue-pairs"));
  plan.variant.insert(plan.variant.end(), {"--", "--set", "nic.qps_per_connection=16"});
  return plan;
}

}  // namespace heddle
