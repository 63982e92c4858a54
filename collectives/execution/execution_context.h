// SPDX-License-Identifier: GPL-2.0-only
/// What all participants of this MPI rank share: the jobs, what messages cost before they start,
/// and the record of collectives.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_CONTEXT_H_
#define HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "collectives/choice/issue_delay.h"
#include "collectives/execution/execution_records.h"
#include "collectives/execution/participation.h"
#include "collectives/job/placed_job.h"
#include "core/base/memory_account.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class StateReader;
class StateWriter;

struct ExecutionContext {
  CollectiveOptions options;  ///< the jobs refer to it
  std::vector<std::unique_ptr<PlacedJob>> jobs;
  IssueDelay delay;
  bool timeline = false;  ///< keep every GPU's steps
  std::vector<CollectiveRecord> collectives;
  std::vector<LayerRecord> layers;
  std::vector<StepRecord> steps;
  std::vector<FinishRecord> finishes;
  std::vector<GroupFlow> scratch;

  explicit ExecutionContext(const CollectiveOptions& chosen) : options(chosen), delay(chosen) {}

  CollectiveRecord& RecordOf(std::uint32_t job, std::uint32_t operation, std::uint32_t group) {
    const std::uint64_t key = (static_cast<std::uint64_t>(job) << 52) ^
                              (static_cast<std::uint64_t>(operation) << 20) ^ group;
    const auto [at, is_new] = record_index_.try_emplace(key, collectives.size());
    if (is_new) {
      collectives.emplace_back();
      collectives.back().job = job;
      collectives.back().operation = operation;
      collectives.back().group = group;
    }
    return collectives[at->second];
  }

  /// Bytes of the records.
  std::size_t record_memory() const {
    return MemoryOf(collectives) + MemoryOf(layers) + MemoryOf(steps) + MemoryOf(finishes) +
           MemoryOf(scratch) + MemoryOfHash(record_index_);
  }

  /// What GPUs of several domains wrote down together, for checkpoints: any MPI rank may add it to
  /// its own.
  void SaveCollectives(StateWriter* to) const;
  void AddCollectives(StateReader* from);
  /// Forgets what Begin() of the agents wrote down, before they are loaded.
  void ForgetRecords();

  /// Hand a message to the transport: it may be sent since `ready`. `first`: at the beginning of
  /// its source's part.
  void Post(const PlacedJob& job, const Participation& part, const GroupFlow& flow, Time ready,
            bool first, FlowPort* port) const;

 private:
  std::unordered_map<std::uint64_t, std::size_t> record_index_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_EXECUTION_CONTEXT_H_
