// SPDX-License-Identifier: GPL-2.0-only
/// Where the time of a job's step went, and why: the findings of `heddle analyze step`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/step_shares.h"
#include "io/analysis/step_time.h"
#include "io/step/cause_sums.h"
#include "io/step/job_losses.h"

namespace heddle {

struct StepExplanation {
  std::uint32_t job = 0;
  std::string name;
  std::int64_t start_ps = 0, end_ps = 0;
  std::string last_gpu;  ///< that ended last
  StepTime time;
  std::vector<StepShare> shares;  ///< of the time of all GPUs, by cause
  bool has_messages = false, has_paths = false, topology_changed = false;
  std::vector<CausedPiece> pieces;  ///< from start_ps to end_ps without gaps
  std::vector<std::string> what;    ///< by piece: "fwd compute of layer 3 on server 0 / GPU 2"
  std::vector<CauseSum> causes;     ///< longest first; they sum to end_ps - start_ps
  std::vector<JobLoss> lost;        ///< to other jobs, of these causes; largest first

  std::int64_t span_ps() const { return end_ps - start_ps; }
  /// Returns the sum of `lost` [ps].
  std::int64_t lost_ps() const;
  /// Returns the name of the link to blame for a piece, an index into `pieces`; empty: there is
  /// none.
  std::string LinkOf(std::size_t piece) const;
};

/// Reads a result; one entry a job that ended. Throws UserError with the file's name if it is no
/// result, is not of a workload, kept no time lines, or no job ended.
std::vector<StepExplanation> ExplainSteps(const std::string& file);

}  // namespace heddle
