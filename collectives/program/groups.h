// SPDX-License-Identifier: GPL-2.0-only
/// The communicators of a training job: which ranks are in a group together.
///
/// Source: SimAI's MockNcclGroup.cc (the constructor) for TP, DP, EP and DP_EP; pipeline stages are
/// the outermost dimension, as in Megatron. With T, E, P the sizes, W ranks and D = W / (T P): rank
/// r is in stage r / (W/P); TP groups are T neighbours; a DP group is the ranks of a stage that are
/// T apart; an EP group is the ranks of equal place in E neighbouring TP groups; a DP_EP group the
/// ranks of equal place in every E-th TP group of a stage (D/E of them); a PP group the ranks of
/// equal place in all stages; an ALL group the ranks of a stage. Groups that a trace lists follow
/// no such rule (group_lists.h): no function here is called for GroupType::kListed.
///
/// With C above 1, a CP group is the ranks of equal place in C neighbouring TP groups, as by
/// Megatron-LM's default order tp-cp-ep-dp-pp (its RankGenerator), which lays
/// experts over the ranks of CP, too. D counts replicas of parameters: it is Megatron-LM's DP x CP,
/// over which it reduces gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/traffic/workload.h"

namespace heddle {

/// Uses arithmetic only, in constant memory.
class ParallelGroups {
 public:
  /// `sizes`: 0 counts as 1. Throws UserError with the numbers if they do not divide `ranks`, or if
  /// expert or context does not divide the data parallel size; `who` begins the message ("job 0
  /// (FILE)").
  ParallelGroups(const ParallelSizes& sizes, std::uint32_t ranks, const std::string& who);

  std::uint32_t ranks() const { return ranks_; }                         ///< W, of the job
  std::uint32_t tensor() const { return tensor_; }                       ///< T
  std::uint32_t data() const { return ranks_ / (tensor_ * pipeline_); }  ///< D, at least 1
  std::uint32_t pipeline() const { return pipeline_; }                   ///< P
  std::uint32_t expert() const { return expert_; }                       ///< E; divides D
  std::uint32_t context() const { return context_; }                     ///< C; divides D

  /// Counts the ranks in each group of this type; 1 for listed groups.
  std::uint32_t size(GroupType type) const;
  /// Counts the groups of this type in the job.
  std::uint32_t count(GroupType type) const { return ranks_ / size(type); }
  /// Returns the number of the rank's group of this type.
  std::uint32_t GroupOf(GroupType type, std::uint32_t rank) const;
  /// Returns the rank's place in its group of this type.
  std::uint32_t RankIn(GroupType type, std::uint32_t rank) const;
  /// Returns the ranks of the job in a group, ascending.
  std::vector<std::uint32_t> Members(GroupType type, std::uint32_t group) const;
  /// Returns the pipeline stage of a rank, in [0, P).
  std::uint32_t StageOf(std::uint32_t rank) const { return rank / (ranks_ / pipeline_); }

 private:
  std::uint32_t ranks_, tensor_, pipeline_, expert_, context_;
};

}  // namespace heddle
