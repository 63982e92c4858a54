// SPDX-License-Identifier: GPL-2.0-only
/// Sentences about the steps of several results beside each other: how the slower ones differ from
/// the fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/step/step_explanation.h"

namespace heddle {

/// Returns the index of the job that ends last, of several the one with the least number. `jobs`
/// must not be empty.
std::size_t LastToEnd(const std::vector<StepExplanation>& jobs);

/// Returns what the jobs of a result did, for comparison with that of another: GPUs of each, passes
/// of each, number and bytes of all operations. `jobs`, `operations`: tables of the result.
std::vector<std::int64_t> WorkOf(const Table& jobs, const Table& operations);

/// Says of one step where its time went; of several how each other one differs from the shortest,
/// in their order. `names`: of the steps. Empty for no steps.
std::vector<std::string> FindingsOf(const std::vector<std::string>& names,
                                    const std::vector<StepExplanation>& steps);

/// The step of a fabric, and what a sentence about it needs to know of the fabric.
struct FabricStep {
  std::string name;
  const StepExplanation* step = nullptr;
  double above_leaves = 0;        ///< bytes between switches
  std::uint32_t gpu_ports = 0;    ///< of a GPU into the fabric
  double gpu_rate = 0;            ///< of all of them [bit/s]
  std::uint64_t queue_pairs = 1;  ///< over which a message is divided
};

/// Says by how much `other` is slower than `best` and why. Of equal ones it says so if no byte
/// passes above the leaves in either; of a slower one whose GPUs have more ports than messages use,
/// while those of `best` have fewer, how to use all.
std::string FabricVerdict(const FabricStep& best, const FabricStep& other);

}  // namespace heddle
