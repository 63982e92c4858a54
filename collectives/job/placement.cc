// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/job/gpu_list.h"
#include "core/base/check.h"
#include "core/base/random.h"

namespace heddle {
namespace {

using Gpus = std::vector<NodeId>;

/// Allocates GPUs to jobs, each GPU once.
class GpuPool {
 public:
  GpuPool(const std::vector<JobSpec>& specs, const Graph& graph)
      : specs_(specs), owner_(graph.gpu_count(), kFree), free_(graph.gpu_count()) {}

  /// The GPUs of these ranges, in their order.
  Gpus Take(std::size_t job, const std::vector<GpuRange>& ranges) {
    Gpus gpus;
    for (const GpuRange& range : ranges) {
      if (range.last >= owner_.size()) {
        Fail(job, fmt::format("GPU {}", std::max<std::size_t>(range.first, owner_.size())),
             fmt::format("GPUs of the topology, which has {}, numbered from 0", owner_.size()));
      }
      for (std::uint32_t gpu = range.first; gpu <= range.last; ++gpu) {
        if (owner_[gpu] == job) Fail(job, fmt::format("GPU {} twice", gpu), "each GPU once");
        if (owner_[gpu] != kFree)
          Fail(job, fmt::format("GPU {}, which {} has too", gpu, Who(owner_[gpu])),
               "GPUs of no other job");
        gpus.push_back(Give(gpu, job));
      }
    }
    return gpus;
  }

  /// Takes the lowest free GPUs; `count` 0: all of them.
  Gpus Take(std::size_t job, std::uint32_t count) {
    if (free_ == 0 || count > free_) {
      Fail(job, count == 0 ? "all free GPUs" : fmt::format("{} GPUs", count),
           fmt::format("at most what is free, {} of {} GPUs", free_, owner_.size()));
    }
    const std::size_t wanted = count == 0 ? free_ : count;
    Gpus gpus;
    for (std::uint32_t gpu = 0; gpus.size() < wanted; ++gpu) {
      if (owner_[gpu] == kFree) gpus.push_back(Give(gpu, job));
    }
    return gpus;
  }

 private:
  static constexpr std::size_t kFree = ~std::size_t{0};

  NodeId Give(std::uint32_t gpu, std::size_t job) {
    owner_[gpu] = job;
    --free_;
    return NodeId(gpu);
  }
  std::string Who(std::size_t job) const {
    return fmt::format("job {} ({})", job, Printable(specs_[job].workload));
  }
  [[noreturn]] void Fail(std::size_t job, const std::string& found,
                         const std::string& expected) const {
    throw UserError(fmt::format("{}: {}. Expected: {}", Who(job), found, expected));
  }

  const std::vector<JobSpec>& specs_;
  std::vector<std::size_t> owner_;  ///< owning job, by GPU
  std::size_t free_;
};

std::vector<Gpus> HandOut(const std::vector<JobSpec>& specs, const Graph& graph) {
  GpuPool pool(specs, graph);
  std::vector<GpuList> lists;
  for (const JobSpec& spec : specs) {
    const auto list = ParseGpuList(spec.gpus);
    if (!list)
      throw UserError(fmt::format("GPUs '{}'. Expected: {}", Printable(spec.gpus), kGpuListForms));
    lists.push_back(*list);
  }
  std::vector<Gpus> gpus(specs.size());
  for (std::size_t job = 0; job < specs.size(); ++job) {
    if (!lists[job].ranges.empty()) gpus[job] = pool.Take(job, lists[job].ranges);
  }
  for (std::size_t job = 0; job < specs.size(); ++job) {
    if (lists[job].count > 0) gpus[job] = pool.Take(job, lists[job].count);
  }
  for (std::size_t job = 0; job < specs.size(); ++job) {
    if (lists[job].ranges.empty() && lists[job].count == 0) gpus[job] = pool.Take(job, 0U);
  }
  return gpus;
}

void Shuffle(RandomStream random, Gpus* gpus) {
  for (std::size_t left = gpus->size(); left > 1; --left)
    std::swap((*gpus)[left - 1], (*gpus)[random.Below(left)]);
}

/// Takes one GPU of each server in turn, servers and their GPUs ascending; `gpus` ascend.
Gpus RoundRobin(const Gpus& gpus, const Graph& graph) {
  std::vector<std::pair<std::uint32_t, NodeId>> by_turn;  // round in which its server gives the GPU
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool same_server = i > 0 && graph.SameServer(gpus[i], gpus[i - 1]);
    by_turn.emplace_back(same_server ? by_turn.back().first + 1 : 0, gpus[i]);
  }
  std::stable_sort(by_turn.begin(), by_turn.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Gpus ordered;
  for (const auto& turn : by_turn) ordered.push_back(turn.second);
  return ordered;
}

}  // namespace

std::vector<std::vector<NodeId>> PlaceJobs(const std::vector<JobSpec>& specs, const Graph& graph,
                                           std::uint64_t seed) {
  std::vector<Gpus> placed = HandOut(specs, graph);
  for (std::size_t job = 0; job < specs.size(); ++job) {
    const Placement placement = specs[job].placement;
    Gpus& gpus = placed[job];
    if (placement == Placement::kList) continue;
    std::sort(gpus.begin(), gpus.end());
    if (placement == Placement::kRandom)
      Shuffle(RandomStream(seed, job, RandomPurpose::kPlacement), &gpus);
    if (placement == Placement::kRoundRobin) gpus = RoundRobin(gpus, graph);
  }
  return placed;
}

}  // namespace heddle
