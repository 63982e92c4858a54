// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tables/stand_ins.h"

#include <algorithm>

#include "collectives/job/stages_in_step.h"
#include "collectives/tables/collective_tables.h"

namespace heddle {
namespace {

bool AnyInStep(const ExecutionContext& context) {
  return std::any_of(context.jobs.begin(), context.jobs.end(),
                     [](const auto& job) { return job->in_step(); });
}

std::uint32_t RanksOfStage(const Job& job) { return job.groups.ranks() / job.groups.pipeline(); }

/// Returns the number of ranks for which one of a job stands.
std::uint32_t StandsFor(const PlacedJob& job) {
  return job.in_step() ? RanksOfStage(job.job()) : 1;
}

/// Returns the stand-in on a GPU.
std::uint32_t StandInAt(const Job& job, NodeId gpu) {
  std::uint32_t stage = 0;
  while (job.gpus[StandInOf(job, stage)] != gpu) ++stage;
  return StandInOf(job, stage);
}

}  // namespace

std::vector<FinishRecord> OfAllRanks(const ExecutionContext& context,
                                     const std::vector<FinishRecord>& records) {
  std::vector<FinishRecord> all;
  for (FinishRecord record : records) {
    const PlacedJob& job = *context.jobs[record.job];
    const std::uint32_t end = record.rank + StandsFor(job);
    for (; record.rank < end; ++record.rank) {
      record.gpu = job.job().gpus[record.rank];
      all.push_back(record);
    }
  }
  return all;
}

std::vector<StepRecord> OfAllRanks(const ExecutionContext& context,
                                   const std::vector<StepRecord>& records) {
  if (!AnyInStep(context)) return records;
  std::vector<StepRecord> all;
  for (StepRecord record : records) {
    const PlacedJob& job = *context.jobs[record.job];
    if (!job.in_step()) {
      all.push_back(record);
      continue;
    }
    const std::uint32_t first = StandInAt(job.job(), record.gpu);
    for (std::uint32_t rank = first; rank < first + StandsFor(job); ++rank) {
      record.gpu = job.job().gpus[rank];
      all.push_back(record);
    }
  }
  return all;
}

LayerBlocks::LayerBlocks(const ExecutionContext& context, const std::vector<Job>& jobs,
                         const std::vector<LayerRecord>& records)
    : context_(context), jobs_(jobs), records_(records) {}

LayerBlocks::OfRank LayerBlocks::RankAt(std::size_t first) const {
  const LayerRecord& record = records_[first];
  OfRank found{first, first, StandsFor(*context_.jobs[record.job])};
  while (found.end < records_.size() && records_[found.end].job == record.job &&
         records_[found.end].rank == record.rank)
    ++found.end;
  return found;
}

std::uint64_t LayerBlocks::rows() const {
  std::uint64_t rows = 0;
  for (std::size_t at = 0; at < records_.size();) {
    const OfRank rank = RankAt(at);
    rows += std::uint64_t{rank.stands_for} * (rank.end - rank.first);
    at = rank.end;
  }
  return rows;
}

std::size_t LayerBlocks::longest_name() const {
  std::size_t longest = 0;
  for (const LayerRecord& record : records_)
    longest = std::max(longest, jobs_[record.job].workload.layers[record.layer].name.size());
  return longest;
}

Table LayerBlocks::Next() {
  constexpr std::size_t kRows = 16'384;
  std::vector<LayerRecord> rows;
  while (at_ < records_.size() && rows.size() < kRows) {
    const OfRank of = RankAt(at_);
    const Job& job = jobs_[records_[at_].job];
    for (std::size_t i = of.first; i < of.end; ++i) {
      rows.push_back(records_[i]);
      rows.back().rank += behind_;
      rows.back().gpu = job.gpus[rows.back().rank];
    }
    if (++behind_ < of.stands_for) continue;
    behind_ = 0;
    at_ = of.end;
  }
  return LayerTable(jobs_, rows);
}

std::vector<CollectiveRecord> OfAllGroups(const ExecutionContext& context,
                                          const std::vector<CollectiveRecord>& records) {
  if (!AnyInStep(context)) return records;
  std::vector<CollectiveRecord> all;
  for (CollectiveRecord record : records) {
    const PlacedJob& job = *context.jobs[record.job];
    if (!job.in_step()) {
      all.push_back(record);
      continue;
    }
    const GroupType type = job.Op(record.operation).spec.group;
    if (type != GroupType::kPipeline) record.finished *= job.job().groups.size(type);
    const JobGroups::Range groups = GroupsAlike(job.job(), type, record.group);
    for (record.group = groups.first; record.group < groups.end(); ++record.group)
      all.push_back(record);
  }
  return all;
}

std::size_t MostOfOne(const ExecutionContext& context) {
  std::size_t most = 1;
  for (const auto& job : context.jobs) {
    most = std::max<std::size_t>(most, StandsFor(*job));
  }
  return most;
}

}  // namespace heddle
