// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/parse_operation.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/nccl_names.h"
#include "io/simai/simai_workload.h"

namespace heddle {
namespace {

constexpr std::size_t kMostFabrics = 8;
constexpr std::size_t kMostSizes = 64;

std::int64_t SizeOf(const std::string& word, const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = ParseBufferSize(word).count;
  } catch (const UserError& error) {
    throw UsageError(fmt::format("--sizes {}: {}", Printable(text), error.what()));
  }
  if (bytes <= 0) {
    throw UsageError(fmt::format("--sizes {}: found {}. Expected: sizes above 0", Printable(text),
                                 Printable(word)));
  }
  return bytes;
}

void AddFabricArguments(CLI::App* app, FabricArguments* given) {
  app->add_option("FABRIC", given->fabrics,
                  "topology files, or fabrics by name as of heddle topo; \"dragonfly -a 4\" has "
                  "flags of its own")
      ->required()
      ->type_name("FABRIC ...");
  app->add_option("-g,--gpus", given->gpus, "GPUs of fabrics by name")
      ->check(WholeNumber(1, 1'000'000));
  app->add_option("-w,--workload", given->workload, "a step, as heddle run reads it")
      ->type_name("FILE");
  app->add_option("--collective", given->collective,
                  "instead of a step: one collective over all GPUs, size by size")
      ->type_name("NAME");
  app->add_option("--sizes", given->sizes,
                  "--collective: from-to, doubled from one to the next, or a list")
      ->capture_default_str();
  app->add_option("--oversubscription", given->oversubscription,
                  "R : 1 where fabrics by name narrow first")
      ->capture_default_str();
  app->add_option("--nic", given->nic, "rate of a GPU into fabrics by name, all its ports together")
      ->type_name("RATE")
      ->capture_default_str();
  app->add_option("--gpus-per-server", given->gpus_per_server, "of fabrics by name")
      ->check(WholeNumber(1, 1024))
      ->capture_default_str();
  app->add_option("-o,--output", given->folder, "folder of fabrics, results and page")
      ->type_name("FOLDER")
      ->capture_default_str();
  app->add_option("--ranks", given->ranks, "processes of each run")
      ->check(WholeNumber(1, 65536))
      ->capture_default_str();
  app->add_option("-j,--jobs", given->jobs,
                  "runs at the same time (default: as many as there are cores)")
      ->check(WholeNumber(1, 65536));
  app->add_flag("--force", given->force, "run again what has a result, and replace files");
  AddJsonFlag(app, &given->json);
}

}  // namespace

std::vector<std::string> TakeRunFlags(std::vector<std::string>* words) {
  const auto at = std::find(words->begin(), words->end(), "--");
  if (at == words->end()) return {};
  std::vector<std::string> flags(at + 1, words->end());
  words->erase(at, words->end());
  return flags;
}

void CheckRunFlags(const std::string& command, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    const std::string name = flag.substr(0, flag.find('='));
    for (const char* own : {"-n", "--topology", "-w", "--workload", "-o", "--output", "--job",
                            "--trace", "--estimate"}) {
      if (name != own) continue;
      throw UsageError(fmt::format(
          "{} behind --: {} sets it itself, or needs a whole run. Expected: other flags of heddle "
          "run, as in -- --passes 2 --set CC_MODE=3",
          Printable(name), command));
    }
  }
}

void CheckFabricArguments(const FabricArguments& given) {
  if (given.fabrics.size() < 2 || given.fabrics.size() > kMostFabrics) {
    throw UsageError(fmt::format("found {} fabric{}. Expected: 2 to {}", given.fabrics.size(),
                                 given.fabrics.size() == 1 ? "" : "s", kMostFabrics));
  }
  if (given.workload.empty() == given.collective.empty()) {
    throw UsageError(given.workload.empty()
                         ? "neither -w nor --collective is given. Expected: one of them"
                         : "-w and --collective are both given. Expected: one of them");
  }
  try {
    ParseBitRate(given.nic);
  } catch (const UserError& error) {
    throw UsageError(fmt::format("--nic: {}", error.what()));
  }
  if (!given.collective.empty()) CollectiveWorkload(given.collective, ParseSizes(given.sizes));
  CheckRunFlags("compare-fabrics", given.run_flags);
}

bool ParseFabricArguments(const std::vector<std::string>& arguments, FabricArguments* given) {
  std::vector<std::string> words = arguments;
  given->run_flags = TakeRunFlags(&words);
  CLI::App app(
      "Run a step, or one collective size by size, on several fabrics with as many GPUs, equal "
      "rates into them and equal oversubscription; say which is faster, by how much, and why.\n"
      "Flags behind -- are those of heddle run.",
      "compare-fabrics");
  AddFabricArguments(&app, given);
  app.footer(Examples(
      {"heddle compare-fabrics spectrum-x alibabahpn-singleplane -g 64 -w step.txt",
       "heddle compare-fabrics fat-tree dragonfly -g 72 --gpus-per-server 2 --collective allreduce",
       "heddle compare-fabrics a.txt b.txt -w step.txt -o compared -- --passes 2 --set "
       "CC_MODE=3"}));
  if (!ParseArguments(&app, words)) return false;
  CheckFabricArguments(*given);
  return true;
}

std::vector<std::int64_t> ParseSizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  const std::size_t dash = text.find('-');
  const bool is_list = text.find(',') != std::string::npos;  // whose '-' is a wrong item's
  if (!is_list && dash != std::string::npos && dash > 0) {
    const std::int64_t from = SizeOf(text.substr(0, dash), text);
    const std::int64_t to = SizeOf(text.substr(dash + 1), text);
    for (std::int64_t size = from; size <= to && sizes.size() <= kMostSizes; size *= 2) {
      sizes.push_back(size);
      if (size > to / 2) break;
    }
  } else {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      sizes.push_back(SizeOf(text.substr(at, comma - at), text));
      at = comma + 1;
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::count(sizes.begin(), sizes.end(), sizes[i]) == 1) continue;
    throw UsageError(fmt::format("--sizes {}: {} twice. Expected: different sizes", Printable(text),
                                 ToText(Bytes{sizes[i]})));
  }
  if (sizes.empty() || sizes.size() > kMostSizes) {
    throw UsageError(
        fmt::format("--sizes {}: {} sizes. Expected: 1 to {}, such as 1MiB-256MiB or 64KiB,16MiB",
                    Printable(text), sizes.size(), kMostSizes));
  }
  return sizes;
}

std::string CollectiveWorkload(const std::string& operation, const std::vector<std::int64_t>& sizes,
                               std::uint32_t times) {
  const std::string name = ToText(ParseOperation("--collective", PlainOperation(operation)));
  // Its groups of DP are all GPUs.
  std::string text = fmt::format("MICRO\n{}\n", sizes.size() * times);
  for (const std::int64_t size : sizes) {
    for (std::uint32_t time = 0; time < times; ++time)
      text += fmt::format("bytes_{0} -1 0 NONE 0 0 NONE 0 0 {1} {0} 0\n", size, name);
  }
  try {
    ParseSimaiWorkload(text, "--collective");
  } catch (const UserError& error) {
    throw UsageError(error.what());
  }
  return text;
}

}  // namespace heddle
