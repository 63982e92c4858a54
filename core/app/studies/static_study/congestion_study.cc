// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/congestion_study.h"

#include <algorithm>

#include "core/app/studies/static_study/progress_line.h"
#include "core/base/random.h"
#include "core/mpi/gather_records.h"

namespace heddle {
namespace {

struct NumberedRun {
  std::uint64_t number = 0;
  LoadFigures figures;
};

struct WeightCount {
  double weight = 0;
  std::uint64_t count = 0;
};

struct CableCount {
  std::uint32_t cable = 0;
  std::uint64_t count = 0;
  CablePeak peak;
};

LoadTotals Gather(const Communicator& world, const LoadTotals& mine) {
  std::vector<WeightCount> weights;
  for (const auto& [weight, count] : mine.weights) weights.push_back({weight, count});
  std::vector<CableCount> cables;
  for (std::uint32_t cable = 0; cable < mine.cables.size(); ++cable) {
    if (mine.cables[cable] > 0) cables.push_back({cable, mine.cables[cable], mine.peaks[cable]});
  }
  LoadTotals all;
  all.cables.assign(mine.cables.size(), 0);
  all.peaks.resize(mine.peaks.size());
  for (const WeightCount& row : GatherRecords(world, weights)) all.weights[row.weight] += row.count;
  for (const CableCount& row : GatherRecords(world, cables)) {
    all.cables[row.cable] += row.count;
    if (row.peak.Beats(all.peaks[row.cable])) all.peaks[row.cable] = row.peak;
  }
  all.hops = static_cast<std::uint64_t>(world.Sum(static_cast<std::int64_t>(mine.hops)));
  return all;
}

/// For a pattern that goes on where the run before ended: plays the runs of other ranks between the
/// last one of this rank and `run`.
void PlayOthers(const CongestionRequest& request, std::uint64_t run, std::uint32_t processes,
                LevelPattern* pattern) {
  if (!pattern->GoesOnAcrossRuns()) return;
  std::vector<RankPair> pairs;
  for (std::uint64_t other = run < processes ? 0 : run - processes + 1; other < run; ++other) {
    RandomStream random(request.seed, other, RandomPurpose::kLevelPattern);
    pattern->BeginRun(&random);
    const bool one = request.load.only_level >= 0;
    std::uint64_t level = one ? static_cast<std::uint64_t>(request.load.only_level) : 0;
    do {
      pattern->Level(level++, &pairs);
    } while (!pairs.empty() && !one);
  }
}

}  // namespace

RunSetup SetUpRun(const CongestionRequest& request, std::uint64_t run) {
  RandomStream random(request.seed, run, RandomPurpose::kLevelPattern);
  RunSetup setup{MakeLevelPattern(request.pattern), request.hosts->MappingOf(run)};
  setup.pattern->BeginRun(&random);
  return setup;
}

CongestionStudy StudyCongestion(const StaticPaths& paths, const CongestionRequest& request,
                                const Communicator& world, bool show_progress) {
  RunLoad load(paths, request.load);
  std::vector<NumberedRun> mine;
  AgreeOnErrors(world, [&] {
    ProgressLine progress(request.runs, show_progress && world.is_root());
    const std::unique_ptr<LevelPattern> pattern = MakeLevelPattern(request.pattern);
    for (std::uint64_t run = world.rank().value; run < request.runs; run += world.size()) {
      PlayOthers(request, run, world.size(), pattern.get());
      RandomStream random(request.seed, run, RandomPurpose::kLevelPattern);
      pattern->BeginRun(&random);
      mine.push_back({run, load.Run(run, pattern.get(), request.hosts->MappingOf(run))});
      progress.Show(std::min(request.runs, mine.size() * world.size()));
    }
  });
  CongestionStudy study;
  const std::vector<NumberedRun> all = GatherRecords(world, mine);
  study.runs.resize(all.size());
  for (const NumberedRun& run : all) study.runs[run.number] = run.figures;
  study.totals = Gather(world, load.totals());
  if (!world.is_root()) study = {};
  return study;
}

}  // namespace heddle
