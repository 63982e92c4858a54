// SPDX-License-Identifier: GPL-2.0-only
/// What failures cost exactly: two results of the same traffic, one of them without the failures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Flows, or collectives, of both results.
struct LateOnes {
  std::int64_t compared = 0;  ///< that ended in the other result
  std::int64_t later = 0;     ///< of them: ended later here
  std::int64_t earlier = 0;   ///< of them: ended earlier here
  std::int64_t unended = 0;   ///< of them: did not end here
  std::int64_t absent = 0;    ///< of them: never asked for here, as what they wait for did not end
  std::int64_t most_ps = 0;   ///< the largest delay of an end
  std::string most;           ///< whose it was
};

struct LateJob {
  std::uint32_t job = 0;
  std::string name;
  std::int64_t span_ps = -1, other_ps = -1;  ///< -1: it did not end

  bool ended_in_both() const { return span_ps >= 0 && other_ps >= 0; }
  /// Returns by how much it took longer than in the other result [ps], if it ended in both.
  std::int64_t late_ps() const { return span_ps - other_ps; }
  /// Returns late_ps() as a share of its time in the other result.
  double late_share() const {
    return static_cast<double>(late_ps()) /
           static_cast<double>(std::max<std::int64_t>(other_ps, 1));
  }
};

struct FailureDifference {
  std::string other;
  std::vector<LateJob> jobs;
  LateOnes collectives, flows;
  std::int64_t last_end_ps = 0, other_last_end_ps = 0;  ///< of the last flow that ended
  bool has_collectives = false, has_flows = false;
  bool other_failed = false;  ///< there are failures in the other result, too
};

/// Compares `file` with `other`. Ends are times of the simulation. Throws UserError if one is no
/// result, or `other` does not have the jobs, or a flow, of `file`.
FailureDifference CompareFailures(const std::string& file, const std::string& other);

}  // namespace heddle
