// SPDX-License-Identifier: GPL-2.0-only
/// Small workloads, and cases that run one of them as a job on all GPUs of a fabric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/invariance/case.h"

namespace heddle::invariance {

/// The first line of a workload for 32 GPUs.
std::string WorkloadHeader(int tp, int ep = 1, int pp = 1);
/// One collective, all at once in all its groups.
std::string One(int tp, const std::string& operation, int bytes, int ep = 1);
/// Three layers with every type of group; the second pass waits for the gradients of the first.
std::string Training();

/// The options of collectives with these keys set; 3 us of software latency.
CollectiveOptions SetCollectives(const Settings& settings);

/// `how`: options of collectives.
Case OneJob(const std::string& name, Graph graph, const std::string& workload, const Settings& how,
            const Settings& settings, std::vector<Proof> proofs, std::uint32_t passes = 1);

/// One job of a plan (docs/formats/plan.md) on all GPUs; its run's options are the defaults.
Case OnePlan(const std::string& name, Graph graph, const std::string& plan,
             const Settings& settings, std::vector<Proof> proofs);

namespace proofs {
Proof Collectives();
}  // namespace proofs

}  // namespace heddle::invariance
