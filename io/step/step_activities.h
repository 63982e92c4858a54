// SPDX-License-Identifier: GPL-2.0-only
/// What the GPUs of a job did when: table `steps` of a result, found by time and by operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// A time in which a GPU computed, or in which a collective of its was under way.
struct Activity {
  std::int64_t start_ps = 0, end_ps = 0;
  std::int64_t operation = -1;  ///< within the job; -1: it computed
  std::int64_t group = -1;      ///< of the operation
  std::uint32_t gpu = 0, layer = 0;
  std::string phase;  ///< "fwd", "ig" or "wg"

  bool computes() const { return operation < 0; }  ///< else it is part of an operation
};

/// Immutable. Activities that took no time are left out.
class StepActivities {
 public:
  /// Sorts the activities of one job of table "steps". `group_types`: of the operations of a pass,
  /// in order; passes repeat them.
  StepActivities(const Table& steps, std::uint32_t job, std::vector<std::string> group_types);

  bool empty() const { return activities_.empty(); }  ///< the job has none
  /// Returns the activity of a GPU that ends last, but not after `time`; of several the one that
  /// computes, then the one that began last. Null if there is none.
  const Activity* LastUntil(std::uint32_t gpu, std::int64_t time) const;
  /// Returns a GPU's part in an operation; null if it has none.
  const Activity* PartOf(std::uint32_t gpu, std::int64_t operation) const;
  /// Returns the GPU's part in an earlier operation of the same communicator (group type and
  /// group), the one that ended last after `from` and not after `to`: communicators work on one
  /// operation after the other. Null if there is none.
  const Activity* Before(const Activity& part, std::int64_t from, std::int64_t to) const;

  /// Whether a part is of messages between pipeline stages.
  bool IsBetweenStages(const Activity& part) const;

  /// When the last GPUs of a group reached an operation.
  struct Joins {
    std::uint32_t last_gpu = 0;
    std::int64_t last_ps = -1, second_ps = -1;  ///< of the last two; -1: fewer came
  };
  /// Finds the GPUs whose parts in an operation began last.
  Joins JoinsOf(std::int64_t operation, std::int64_t group) const;

 private:
  std::string TypeOf(const Activity& part) const;                     ///< of its group
  bool SameCommunicator(const Activity& a, const Activity& b) const;  ///< both of operations

  std::vector<std::string> group_types_;
  std::vector<Activity> activities_;  ///< by GPU, then as LastUntil()
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> of_gpu_;
  std::vector<std::size_t> parts_;  ///< by operation, group and GPU
};

}  // namespace heddle
