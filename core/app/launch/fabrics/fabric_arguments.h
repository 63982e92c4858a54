// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle compare-fabrics`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct FabricArguments {
  std::vector<std::string> fabrics;  ///< files, or families with flags of their own
  std::uint32_t gpus = 0;            ///< of families; 0: not given
  std::uint32_t gpus_per_server = 8;
  std::string oversubscription = "1";
  std::string nic = "400Gbps";  ///< of a GPU, all its links to switches together
  std::string workload;         ///< file
  std::string collective;       ///< "allreduce"; instead of a workload
  std::string sizes = "1MiB-256MiB";
  std::string folder = "fabrics";
  std::uint32_t ranks = 1;             ///< of each run
  std::uint32_t jobs = 0;              ///< runs at the same time; 0: as many as there are cores
  std::vector<std::string> run_flags;  ///< what stands after "--"
  bool force = false, json = false;
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseFabricArguments(const std::vector<std::string>& arguments, FabricArguments* given);

/// Takes the words after "--" out of `words`.
std::vector<std::string> TakeRunFlags(std::vector<std::string>* words);

/// Throws UsageError for flags of heddle run that `command` sets itself.
void CheckRunFlags(const std::string& command, const std::vector<std::string>& flags);

/// Throws UsageError for what does not fit together.
void CheckFabricArguments(const FabricArguments& given);

/// Returns the sizes of "1MiB-1GiB", doubled from one to the next, or of "4KiB,1MiB" [byte], also
/// in nccl-tests' spelling. Throws UsageError with `text` and what is wrong in it.
std::vector<std::int64_t> ParseSizes(const std::string& text);

/// Returns a workload that does this operation over all GPUs, one size after the other, each so
/// many times, as ReadSimaiWorkload() takes it. Throws UsageError for an unknown operation.
std::string CollectiveWorkload(const std::string& operation, const std::vector<std::int64_t>& sizes,
                               std::uint32_t times = 1);

}  // namespace heddle
