// SPDX-License-Identifier: GPL-2.0-only
/// Records of GPUs that stand for their pipeline stages (collectives/job/stages_in_step.h), as
/// those of all GPUs and groups. Records of jobs without stand-ins stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/execution/execution_context.h"
#include "collectives/execution/execution_records.h"
#include "collectives/job/job.h"
#include "core/base/table.h"

namespace heddle {

/// Returns the ends of all ranks for which those of `records` stand.
std::vector<FinishRecord> OfAllRanks(const ExecutionContext& context,
                                     const std::vector<FinishRecord>& records);
/// Returns the intervals of all ranks.
std::vector<StepRecord> OfAllRanks(const ExecutionContext& context,
                                   const std::vector<StepRecord>& records);
/// Returns the collectives of all groups, which all ranks of a group have finished that its
/// stand-in has.
std::vector<CollectiveRecord> OfAllGroups(const ExecutionContext& context,
                                          const std::vector<CollectiveRecord>& records);

/// Makes the table "layers" of all ranks in blocks, as a large job has millions of rows.
class LayerBlocks {
 public:
  /// `records`: of those that ran, sorted by job, rank and layer. Both references must outlive it.
  LayerBlocks(const ExecutionContext& context, const std::vector<Job>& jobs,
              const std::vector<LayerRecord>& records);

  /// Returns the number of rows of all blocks.
  std::uint64_t rows() const;
  /// Returns the bytes of the longest name of a layer in the table.
  std::size_t longest_name() const;
  /// Returns the next rows, of whole ranks; none behind the last.
  Table Next();

 private:
  /// The records of one rank that ran.
  struct OfRank {
    std::size_t first = 0, end = 0;  ///< of records_
    std::uint32_t stands_for = 1;    ///< ranks
  };
  OfRank RankAt(std::size_t first) const;

  const ExecutionContext& context_;
  const std::vector<Job>& jobs_;
  const std::vector<LayerRecord>& records_;
  std::size_t at_ = 0;        ///< first record of the rank that comes next
  std::uint32_t behind_ = 0;  ///< how far behind it the next rank is for which it stands
};

/// Returns how many records one may become, at most; 1: there are no stand-ins.
std::size_t MostOfOne(const ExecutionContext& context);

}  // namespace heddle
