// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/queue_pair_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/app/base/cli/on_all_ranks.h"
#include "core/app/studies/static_study/progress_line.h"
#include "core/base/check.h"
#include "core/options/quantity_text.h"
#include "core/traffic/source_ports.h"
#include "topology/load/best_split.h"

namespace heddle {
namespace {

constexpr double kTolerance = 0.005;

struct Shares {
  double even = 0, best = 0, gap = 0;
};

SplitProblem ProblemOf(const GraphPaths& paths, const CongestionRequest& request,
                       std::uint32_t queue_pairs, std::uint64_t number) {
  SplitProblem problem;
  for (std::uint32_t cable = 0; cable < paths.cable_count(); ++cable)
    problem.rates.push_back(request.load.unit_links ? 1 : static_cast<double>(paths.RateOf(cable)));
  const RunSetup run = SetUpRun(request, number);
  std::vector<RankPair> pairs;
  SplitProblem::Path path;
  for (std::uint64_t level = 0;; ++level) {
    run.pattern->Level(level, &pairs);
    if (pairs.empty()) return problem;
    for (const RankPair& pair : pairs) {
      const std::uint32_t from = run.mapping[pair.source], to = run.mapping[pair.destination];
      if (from == to) continue;
      problem.connections.emplace_back();
      for (std::uint32_t i = 0; i < queue_pairs; ++i) {
        const std::uint16_t port =
            RandomSourcePort(request.seed + number, NodeId(from), NodeId(to),
                             static_cast<std::uint16_t>(GraphPaths::kSourcePort + i));
        if (paths.WalkFrom(port, from, to, &path) != WalkEnd::kArrived)
          throw UserError(fmt::format("--queue-pairs: there is no way from {} to {}",
                                      paths.Label(from), paths.Label(to)));
        problem.connections.back().push_back(path);
      }
    }
  }
}

/// The largest load of the cables at hosts, which each message crosses on any path.
double HostLoad(const GraphPaths& paths, const SplitProblem& problem) {
  std::vector<double> loads(problem.rates.size(), 0);
  for (const auto& connection : problem.connections) {
    for (const SplitProblem::Path& path : connection) {
      for (const std::uint32_t cable : path)
        loads[cable] += 1 / static_cast<double>(connection.size()) / problem.rates[cable];
    }
  }
  double most = 0;
  for (std::uint32_t cable = 0; cable < loads.size(); ++cable) {
    const CableEnds nodes = paths.EndsOf(cable);
    if (nodes.from < paths.host_count() || nodes.to < paths.host_count())
      most = std::max(most, loads[cable]);
  }
  return most;
}

Shares SharesOf(const GraphPaths& paths, const SplitProblem& problem) {
  if (problem.connections.empty()) return {1, 1, 0};
  const double hosts = HostLoad(paths, problem), even = EvenSplit(problem);
  const BestSplit found = FindBestSplit(problem, kTolerance);
  const double best = std::min(found.load, even);
  return {hosts / even, std::min(1.0, hosts / best), std::max(0.0, best / found.bound - 1)};
}

/// Each entry is known to one rank, the others have 0.
void Share(const Communicator& world, std::vector<double>* values) {
  static_assert(sizeof(double) == sizeof(std::int64_t));
  std::vector<std::int64_t> bits(values->size());
  if (values->empty()) return;
  std::memcpy(bits.data(), values->data(), values->size() * sizeof(double));
  world.Sum(&bits);
  std::memcpy(values->data(), bits.data(), values->size() * sizeof(double));
}

std::string Spread(std::vector<double> values, double unit, const char* format) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return unit * values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  const double mean = unit * std::accumulate(values.begin(), values.end(), 0.0) /
                      static_cast<double>(values.size());
  return fmt::format(fmt::runtime(format), mean, at(0.1), at(0.9));
}

}  // namespace

QueuePairSplit StudyQueuePairs(const GraphPaths& paths, const CongestionRequest& request,
                               std::uint32_t queue_pairs, const Communicator& world,
                               bool show_progress) {
  QueuePairSplit split;
  split.queue_pairs = queue_pairs;
  split.even.assign(request.runs, 0);
  split.best.assign(request.runs, 0);
  std::vector<double> gaps(request.runs, 0);
  AgreeOnErrors(world, [&] {
    ProgressLine progress(request.runs, show_progress && world.is_root());
    for (std::uint64_t run = world.rank().value; run < request.runs; run += world.size()) {
      const Shares shares = SharesOf(paths, ProblemOf(paths, request, queue_pairs, run));
      split.even[run] = shares.even;
      split.best[run] = shares.best;
      gaps[run] = shares.gap;
      progress.Show(std::min(request.runs, run + world.size()));
    }
  });
  Share(world, &split.even);
  Share(world, &split.best);
  Share(world, &gaps);
  split.tolerance = *std::max_element(gaps.begin(), gaps.end());
  return split;
}

void CheckQueuePairs(const CongestionRequest& request, std::uint32_t queue_pairs) {
  const RunSetup run = SetUpRun(request, 0);
  std::vector<RankPair> pairs;
  std::uint64_t messages = 0;
  for (std::uint64_t level = 0;; ++level) {
    run.pattern->Level(level, &pairs);
    messages += pairs.size();
    if (pairs.empty() || messages * queue_pairs > kMostPaths) break;
  }
  if (messages * queue_pairs <= kMostPaths) return;
  throw UserError(fmt::format(
      "--queue-pairs: {} messages and more of {} queue pairs have more than {} paths. Expected: "
      "fewer ranks (--ranks), messages or queue pairs",
      GroupedDigits(messages), queue_pairs, GroupedDigits(kMostPaths)));
}

std::string QueuePairText(const QueuePairSplit& split) {
  std::vector<double> gains;
  for (std::size_t run = 0; run < split.even.size(); ++run)
    gains.push_back(split.best[run] / split.even[run] - 1);
  return fmt::format(
      "queue pairs      {} a message, all messages at once: share of the hosts' rate, mean and "
      "10th "
      "to 90th percentile\n"
      "even parts       {}\n"
      "best parts       {}, at most {:.1f} % more\n"
      "gain             {}\n",
      split.queue_pairs, Spread(split.even, 1, "{:.4f}, {:.4f} to {:.4f}"),
      Spread(split.best, 1, "{:.4f}, {:.4f} to {:.4f}"), 100 * split.tolerance,
      Spread(gains, 100, "{:.1f} %, {:.1f} to {:.1f} %"));
}

}  // namespace heddle
