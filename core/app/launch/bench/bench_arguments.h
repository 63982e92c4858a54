// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle bench`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "core/app/base/cli/parse_arguments.h"

namespace heddle {

struct BenchArguments {
  std::string operation, fabric;
  std::string from = "1KiB", to = "256MiB";
  std::uint32_t factor = 2;
  std::uint32_t iterations = 1, warmups = 0;  ///< of each size
  std::string group = "all";                  ///< "all", or a type of group
  std::string algorithms;  ///< "all", or names; empty: what the run chooses by itself
  std::string measured;    ///< file of nccl-tests; empty: none
  std::string folder = "bench";
  std::uint32_t ranks = 1, jobs = 0;
  std::vector<std::string> run_flags;  ///< what stands after "--"
  bool force = false, json = false;
};

/// Declares the flags, which write to `given`, except the words after "--".
void AddBenchArguments(CLI::App* app, BenchArguments* given);

/// Returns the sizes [byte], each `factor` times the one before. Throws UsageError.
std::vector<std::int64_t> BenchSizes(const BenchArguments& given);

/// Returns a line an iteration of a size, as ReadSimaiWorkload() takes it.
std::string BenchWorkload(const BenchArguments& given, Operation operation);

/// Returns the values of option algorithm.OPERATION to run; one empty word: the option is not
/// given. Throws UsageError for names that are none of the operation's.
std::vector<std::string> BenchAlgorithms(const BenchArguments& given, Operation operation);

/// "algorithm.allreduce"
std::string AlgorithmKey(Operation operation);

/// Throws UsageError for flags of heddle run that set the algorithm of columns that --algorithms
/// names.
void CheckColumnNames(const BenchArguments& given, Operation operation);

}  // namespace heddle
