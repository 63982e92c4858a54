// SPDX-License-Identifier: GPL-2.0-only
/// A job: a workload on some GPUs of the fabric from a start time on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/program/groups.h"
#include "collectives/program/job_groups.h"
#include "collectives/program/program.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Rule by which ranks are assigned to GPUs.
enum class Placement : std::uint8_t {
  kPacked,      ///< rank 0 on the first GPU, and so on
  kRandom,      ///< a permutation drawn from the seed
  kRoundRobin,  ///< one rank a server in turn
  kList,        ///< in the order in which the GPUs are listed
};

/// "packed", "random", "round-robin", "list".
const char* ToText(Placement placement);

/// Latest start of a job: 26 days, a quarter of the range of Time. Programs compute for half of the
/// range at most; the rest is for communication.
constexpr Time kLatestStart = MicroSeconds(1'000'000) * 86'400 * 26;

/// Parsed from "workload=FILE,gpus=0-63,start=0ms,placement=packed", the user's text.
struct JobSpec {
  std::string workload;  ///< file
  /// What the file is: "workload=FILE", a workload or a trace of Chakra; "goal=FILE", a schedule in
  /// GOAL; "nccl-log=PATH", logs of NCCL.
  enum class Source : std::uint8_t { kWorkload, kSchedule, kNcclLog };
  Source source = Source::kWorkload;
  /// "0-63", "0-7+32-39", "64" (the 64 lowest free GPUs); empty: all free GPUs.
  std::string gpus;
  Time start;  ///< at most kLatestStart
  Placement placement = Placement::kPacked;
  std::uint32_t passes = 1;
  std::uint8_t priority = 3;  ///< traffic class of its messages, 1 to 7
};

/// Reads the user's text. Throws UsageError with the key, the value and what is expected.
JobSpec ParseJobSpec(const std::string& text);

struct Job {
  std::string name;
  Workload workload;
  ParallelGroups groups;
  Program program;
  std::vector<NodeId> gpus;  ///< by rank
  Time start;
  Placement placement = Placement::kPacked;
  std::uint8_t priority = 3;  ///< traffic class of its messages, 1 to 7

  /// Returns a view of all groups, of types and listed.
  JobGroups all_groups() const { return {groups, program.lists}; }
};

}  // namespace heddle
