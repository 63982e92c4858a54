// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/rank_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "core/app/base/processes/own_program.h"
#include "core/app/run/arguments/recording.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/estimate/run_estimate.h"
#include "core/app/run/setup/run_input.h"
#include "core/app/run/traffic/make_prices.h"
#include "core/app/run/traffic/make_traffic.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/mpi/communicator.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

/// Time until mpirun's processes simulate, beyond that of one process, and of each of them [s].
constexpr double kSecondsOfStart = 0.5, kSecondsOfProcess = 0.1;

/// Loads the run as its ranks will, without MPI.
RankForecast Forecast(const RunArguments& given, std::uint32_t cores) {
  RunArguments arguments = given;
  const Environment environment = SharedEnvironment(Communicator::Serial());
  ResolveTraffic(environment, &arguments);
  RunInput input;
  LoadRun(arguments, cores, environment, &input);
  const BackendKind kind = ParseBackendKind(arguments.backend);
  const std::unique_ptr<CollectivePrices> prices = MakePrices(kind, input);
  const std::unique_ptr<Backend> backend =
      MakeBackend(kind, {*input.graph, input.transport, input.domains.domain_of,
                         input.domains.nodes, input.assignment, RankId(0), cores, arguments.seed,
                         input.failures, prices.get(), input.physical});
  const std::unique_ptr<RunTraffic> traffic =
      MakeTraffic(input, *backend, ParseRecording(arguments.record), !arguments.output.empty());
  const TrafficCost cost =
      backend->CostOf([&](const TrafficVisit& visit) { traffic->ForEachMessage(visit); });
  std::set<std::uint32_t> busy;
  for (const RankId rank : input.assignment) busy.insert(rank.value);
  return {cost.seconds, static_cast<std::uint32_t>(busy.size()), input.graph->gpu_count()};
}

std::uint32_t ParseRanks(const std::string& value) {
  std::uint32_t ranks = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, ranks);
  if (error == std::errc() && rest == end && ranks > 0) return ranks;
  throw UsageError(fmt::format("--ranks: found '{}'. Expected: auto, or a number of processes",
                               Printable(value)));
}

RankChoice ChooseFor(const RunArguments& arguments, const LaunchPlace& place) {
  if (place.several_machines)
    throw UsageError(
        "--ranks auto: this is a job of a batch system, whose cores are not known here. Expected: "
        "a number, or srun heddle run ...");
  if (arguments.backend == "physical")
    throw UsageError(
        "--ranks auto: real traffic has as many ranks as it measures. Expected: a number");
  return ChooseRanks(Forecast(arguments, place.cores), place.cores);
}

}  // namespace

std::optional<std::string> TakeRanks(std::vector<std::string>* words) {
  constexpr std::string_view kFlag = "--ranks", kEquals = "--ranks=";
  std::optional<std::string> value;
  for (auto word = words->begin(); word != words->end();) {
    if (*word != kFlag && word->rfind(kEquals, 0) != 0) {
      ++word;
      continue;
    }
    if (value) throw UsageError("--ranks was given twice. Expected: one of them");
    auto end = word + 1;
    if (*word != kFlag) {
      value = word->substr(kEquals.size());
    } else if (end != words->end()) {
      value = *end++;
    } else {
      value = "";
    }
    if (value->empty())
      throw UsageError("--ranks needs a value. Expected: auto, or a number of processes");
    word = words->erase(word, end);
  }
  return value;
}

RankChoice ChooseRanks(const RankForecast& forecast, std::uint32_t cores) {
  const auto seconds_on = [&](std::uint32_t ranks) {
    const double start = ranks > 1 ? kSecondsOfStart + kSecondsOfProcess * ranks : 0;
    return forecast.seconds / SpeedupOf(forecast.gpus, ranks) + start;
  };
  RankChoice choice;
  const std::uint32_t most = std::min(cores, forecast.busy_ranks);
  for (std::uint32_t ranks = 2; ranks <= most; ++ranks) {
    if (seconds_on(ranks) < seconds_on(choice.ranks)) choice.ranks = ranks;
  }
  if (choice.ranks > 1) {
    choice.reason =
        fmt::format("about {:.3g} s, on 1 rank {:.3g} s", seconds_on(choice.ranks), seconds_on(1));
  } else if (cores == 1) {
    choice.reason = "this machine has one core";
  } else if (most == 1) {
    choice.reason = "the fabric has no parts that are simulated faster apart";
  } else {
    choice.reason =
        fmt::format("about {:.3g} s, on {} ranks {:.3g} s", seconds_on(1), most, seconds_on(most));
  }
  return choice;
}

std::vector<std::string> CommandOnRanks(const std::string& value,
                                        const std::vector<std::string>& words,
                                        const LaunchPlace& place) {
  RunArguments arguments;
  if (!ParseRunArguments(words, &arguments)) return {};
  if (place.own_ranks > 1)
    throw UsageError(fmt::format(
        "--ranks within mpirun, which has started {} processes. Expected: one of the two",
        place.own_ranks));
  RankChoice choice;
  if (value == "auto") {
    choice = ChooseFor(arguments, place);
    if (!arguments.quiet && !arguments.json)
      std::fprintf(stderr, "heddle: note: %u rank%s: %s\n", choice.ranks,
                   choice.ranks == 1 ? "" : "s", choice.reason.c_str());
  } else {
    choice.ranks = ParseRanks(value);
    CheckProcesses("--ranks", choice.ranks, 1, place);
  }
  if (choice.ranks == 1) return {};
  std::vector<std::string> command = {"mpirun", "-n", std::to_string(choice.ranks)};
  // Open MPI counts cores, of which a machine may show more threads than it has.
  if (!place.several_machines) command.emplace_back("--oversubscribe");
  command.insert(command.end(), {OwnPath(), "run"});
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace heddle
