// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Returns the size, with 0 counting as 1; checks that it is at most `ranks`.
std::uint32_t CheckSize(const char* what, std::int64_t size, std::uint32_t ranks,
                        const std::string& who) {
  if (size < 0 || size > static_cast<std::int64_t>(ranks)) {
    throw UserError(fmt::format("{}: {} {} on {} GPUs. Expected: a size from 1 to {}", who, what,
                                size, ranks, ranks));
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, size));
}

}  // namespace

ParallelGroups::ParallelGroups(const ParallelSizes& sizes, std::uint32_t ranks,
                               const std::string& who)
    : ranks_(ranks) {
  HEDDLE_EXPECT(ranks > 0);
  tensor_ = CheckSize("TP", sizes.tensor, ranks, who);
  pipeline_ = CheckSize("PP", sizes.pipeline, ranks, who);
  expert_ = CheckSize("EP", sizes.expert, ranks, who);
  context_ = CheckSize("CP", sizes.context, ranks, who);
  if (ranks % (std::uint64_t{tensor_} * pipeline_) != 0) {
    throw UserError(
        fmt::format("{}: TP {} x PP {} does not divide {} GPUs. Expected: a number of GPUs that is "
                    "a multiple of {}",
                    who, tensor_, pipeline_, ranks, std::uint64_t{tensor_} * pipeline_));
  }
  if (data() % expert_ != 0) {
    throw UserError(
        fmt::format("{}: EP {} does not divide DP {} ({} GPUs / TP {} / PP {}). Expected: an "
                    "expert parallel size that "
                    "divides the data parallel size",
                    who, expert_, data(), ranks, tensor_, pipeline_));
  }
  if (data() % context_ != 0) {
    throw UserError(
        fmt::format("{}: CP {} does not divide {} GPUs / TP {} / PP {} = {}. Expected: a context "
                    "parallel size that divides it",
                    who, context_, ranks, tensor_, pipeline_, data()));
  }
}

std::uint32_t ParallelGroups::size(GroupType type) const {
  switch (type) {
    case GroupType::kTensor:
      return tensor_;
    case GroupType::kData:
      return data();
    case GroupType::kPipeline:
      return pipeline_;
    case GroupType::kExpert:
      return expert_;
    case GroupType::kDataExpert:
      return data() / expert_;
    case GroupType::kAll:
      return ranks_ / pipeline_;
    case GroupType::kContext:
      return context_;
    case GroupType::kListed:
      break;  // group_lists.h
  }
  return 1;
}

// A rank is place + TP group * T within its stage. Groups of a type are numbered by stage, then by
// the coordinate that their members share; the place varies fastest.

std::uint32_t ParallelGroups::GroupOf(GroupType type, std::uint32_t rank) const {
  const std::uint32_t in_stage = rank % (ranks_ / pipeline_);
  const std::uint32_t place = rank % tensor_;
  const std::uint32_t row = in_stage / tensor_;
  const std::uint32_t stage = StageOf(rank);
  switch (type) {
    case GroupType::kTensor:
      return rank / tensor_;
    case GroupType::kData:
      return stage * tensor_ + place;
    case GroupType::kPipeline:
      return in_stage;
    case GroupType::kExpert:
      return (stage * (data() / expert_) + row / expert_) * tensor_ + place;
    case GroupType::kDataExpert:
      return (stage * expert_ + row % expert_) * tensor_ + place;
    case GroupType::kAll:
      return stage;
    case GroupType::kContext:
      return (stage * (data() / context_) + row / context_) * tensor_ + place;
    case GroupType::kListed:
      break;
  }
  return 0;
}

std::uint32_t ParallelGroups::RankIn(GroupType type, std::uint32_t rank) const {
  const std::uint32_t row = rank % (ranks_ / pipeline_) / tensor_;
  switch (type) {
    case GroupType::kTensor:
      return rank % tensor_;
    case GroupType::kData:
      return row;
    case GroupType::kPipeline:
      return StageOf(rank);
    case GroupType::kExpert:
      return row % expert_;
    case GroupType::kDataExpert:
      return row / expert_;
    case GroupType::kAll:
      return rank % (ranks_ / pipeline_);
    case GroupType::kContext:
      return row % context_;
    case GroupType::kListed:
      break;
  }
  return 0;
}

std::vector<std::uint32_t> ParallelGroups::Members(GroupType type, std::uint32_t group) const {
  const std::uint32_t per_stage = count(type) / (type == GroupType::kPipeline ? 1 : pipeline_);
  const std::uint32_t in_stage = group % per_stage;
  std::uint32_t first = group / per_stage * (ranks_ / pipeline_);
  std::uint32_t stride = tensor_;
  switch (type) {
    case GroupType::kTensor:
      first += in_stage * tensor_;
      stride = 1;
      break;
    case GroupType::kData:
      first += in_stage;
      break;
    case GroupType::kPipeline:
      first = group;
      stride = ranks_ / pipeline_;
      break;
    case GroupType::kExpert:
      first += in_stage / tensor_ * expert_ * tensor_ + in_stage % tensor_;
      break;
    case GroupType::kDataExpert:
      first += in_stage;  // below expert_ * tensor_: the first of its TP group and place
      stride = expert_ * tensor_;
      break;
    case GroupType::kAll:
      stride = 1;
      break;
    case GroupType::kContext:
      first += in_stage / tensor_ * context_ * tensor_ + in_stage % tensor_;
      break;
    case GroupType::kListed:
      break;
  }
  std::vector<std::uint32_t> members(size(type));
  for (std::uint32_t i = 0; i < members.size(); ++i) members[i] = first + i * stride;
  return members;
}

}  // namespace heddle
