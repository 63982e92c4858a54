// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "collectives/algorithms/algorithm_table.h"
#include "core/app/launch/fabrics/fabric_arguments.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/nccl_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMostSizes = 64;

std::int64_t BytesOf(const char* flag, const std::string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = ParseBufferSize(text).count;
  } catch (const UserError& error) {
    throw UsageError(fmt::format("{}: {}", flag, error.what()));
  }
  if (bytes <= 0)
    throw UsageError(fmt::format("{}: found {}. Expected: a size above 0", flag, Printable(text)));
  return bytes;
}

}  // namespace

void AddBenchArguments(CLI::App* app, BenchArguments* given) {
  app->add_option(
         "OPERATION", given->operation,
         "allreduce, allgather, reducescatter, alltoall, broadcast, reduce, sendrecv; also as "
         "nccl-tests name it, all_reduce_perf")
      ->required();
  app->add_option("-n,--topology", given->fabric, "topology file")->required()->type_name("FILE");
  app->add_option("-b,--minbytes", given->from,
                  "smallest size, of the full buffer; as 1KiB, or nccl-tests' 1K")
      ->type_name("SIZE")
      ->capture_default_str();
  app->add_option("-e,--maxbytes", given->to, "largest size")
      ->type_name("SIZE")
      ->capture_default_str();
  app->add_option("-f,--stepfactor", given->factor, "from one size to the next")
      ->check(WholeNumber(2, 1024))
      ->capture_default_str();
  app->add_option("--iters", given->iterations,
                  "times of a size, one after the other, of which the mean counts")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app->add_option("--warmup_iters", given->warmups,
                  "times of a size before these, which do not count")
      ->check(WholeNumber(0, 1000))
      ->capture_default_str();
  app->add_option("--group", given->group, "all GPUs, or each group of a type: TP, DP, EP")
      ->check(CLI::IsMember({"all", "TP", "DP", "EP"}))
      ->capture_default_str();
  app->add_option("--algorithms", given->algorithms,
                  "one column each: names, such as ring,tree, or all (default: the run's choice)");
  app->add_option("--measured", given->measured,
                  "what nccl-tests printed, to set it beside the simulated")
      ->type_name("FILE");
  app->add_option("-o,--output", given->folder, "folder of results, table and page")
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

std::vector<std::int64_t> BenchSizes(const BenchArguments& given) {
  const std::int64_t from = BytesOf("-b", given.from), to = BytesOf("-e", given.to);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = from; size <= to; size *= given.factor) {
    sizes.push_back(size);
    if (size > to / given.factor) break;
  }
  if (sizes.empty() || sizes.size() > kMostSizes) {
    throw UsageError(fmt::format("-b {} -e {}: {} sizes. Expected: 1 to {}", Printable(given.from),
                                 Printable(given.to), sizes.size(), kMostSizes));
  }
  return sizes;
}

std::string BenchWorkload(const BenchArguments& given, Operation operation) {
  const std::uint32_t times = given.warmups + given.iterations;
  if (given.group == "all") return CollectiveWorkload(ToText(operation), BenchSizes(given), times);
  std::string text;
  for (const std::int64_t size : BenchSizes(given))
    text += fmt::format("{} {} {} {}\n", times, ToText(operation), size, given.group);
  return text;
}

std::string AlgorithmKey(Operation operation) {
  std::string key = std::string("algorithm.") + ToText(operation);
  for (char& letter : key)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return key;
}

void CheckColumnNames(const BenchArguments& given, Operation operation) {
  if (given.algorithms.empty()) return;
  const std::string key = AlgorithmKey(operation);
  for (const std::string& word : given.run_flags) {
    const std::string setting = word.rfind("--set=", 0) == 0 ? word.substr(6) : word;
    if (setting.rfind(key + "=", 0) != 0) continue;
    throw UsageError(
        fmt::format("--set {} behind --: --algorithms sets {} for each column. Expected: one of "
                    "the two",
                    Printable(setting), key));
  }
}

std::vector<std::string> BenchAlgorithms(const BenchArguments& given, Operation operation) {
  if (given.algorithms.empty()) return {""};
  const std::vector<std::string> known = WordsFor(operation);
  if (known.size() < 2) {
    throw UsageError(fmt::format("--algorithms: {} has one algorithm. Expected: no --algorithms",
                                 ToText(operation)));
  }
  if (given.algorithms == "all") return known;
  std::vector<std::string> chosen;
  for (std::size_t at = 0; at <= given.algorithms.size();) {
    const std::size_t comma = std::min(given.algorithms.find(',', at), given.algorithms.size());
    chosen.push_back(given.algorithms.substr(at, comma - at));
    if (std::find(known.begin(), known.end(), chosen.back()) == known.end()) {
      throw UsageError(fmt::format("--algorithms: found '{}'. Expected: all, or some of {}",
                                   Printable(chosen.back()), fmt::join(known, ", ")));
    }
    if (std::count(chosen.begin(), chosen.end(), chosen.back()) > 1) {
      throw UsageError(fmt::format("--algorithms: '{}' twice. Expected: different ones",
                                   Printable(chosen.back())));
    }
    at = comma + 1;
  }
  return chosen;
}

}  // namespace heddle
