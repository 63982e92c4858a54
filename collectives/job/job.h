// SPDX-License-Identifier: GPL-2.0-only
/// A workload on some GPUs of the fabric, from some time on.
#ifndef HEDDLE_COLLECTIVES_JOB_JOB_H_
#define HEDDLE_COLLECTIVES_JOB_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/job/groups.h"
#include "collectives/job/program.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/workload.h"

namespace heddle {

/// How ranks are put on GPUs.
enum class Placement : std::uint8_t {
  kPacked,      ///< rank 0 on the first GPU, and so on
  kRandom,      ///< a permutation drawn from the seed
  kRoundRobin,  ///< one rank a server in turn
  kList,        ///< in the order in which the GPUs are listed
};

/// "packed", "random", "round-robin", "list".
const char* ToText(Placement placement);

/// 26 days, a quarter of what a Time holds: programs compute for half of it at most, and
/// communication has the rest.
constexpr Time kLatestStart = MicroSeconds(1'000'000) * 86'400 * 26;

/// "workload=FILE,gpus=0-63,start=0ms,placement=packed", as the user gave it.
struct JobSpec {
  std::string workload;  ///< file
  std::string gpus;  ///< "0-63", "0-7+32-39", "64" (so many, the lowest that are free); empty: all
                     ///< that are free
  Time start;        ///< at most kLatestStart
  Placement placement = Placement::kPacked;
  std::uint32_t passes = 1;
};

/// Throws UsageError naming the key, the value and what is expected.
JobSpec ParseJobSpec(const std::string& text);

struct Job {
  std::string name;
  Workload workload;
  ParallelGroups groups;
  Program program;
  std::vector<NodeId> gpus;  ///< by rank
  Time start;
  Placement placement = Placement::kPacked;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_JOB_JOB_H_
