// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/job_losses.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle {
namespace {

/// Whether others on the link made the piece wait, who may be of another job.
bool IsShared(const CausedPiece& piece) {
  const StepCause cause = piece.part.cause;
  return piece.part.link != kNoHop && (cause == StepCause::kCollision ||
                                       cause == StepCause::kReceiver || cause == StepCause::kAcks);
}

}  // namespace

std::vector<JobLoss> LossesToOtherJobs(const std::vector<CausedPiece>& pieces, std::uint32_t job,
                                       const MessageCauses& causes, const Table& flows) {
  const auto& jobs = GetColumn<std::uint16_t>(flows, "job");
  std::map<std::pair<std::uint32_t, HopIndex>, double> lost;
  for (const CausedPiece& piece : pieces) {
    if (!IsShared(piece)) continue;
    std::map<std::uint32_t, double> bytes;
    double all = 0;
    for (const auto& [row, sent] : causes.BytesOn(piece.part.link, piece.piece.row)) {
      bytes[jobs[row]] += sent;
      all += sent;
    }
    for (const auto& [other, sent] : bytes) {
      if (other != job)
        lost[{other, piece.part.link}] += static_cast<double>(piece.part.ps) * sent / all;
    }
  }
  std::vector<JobLoss> losses;
  for (const auto& [key, ps] : lost)
    losses.push_back({key.first, key.second, "", static_cast<std::int64_t>(ps)});
  std::stable_sort(losses.begin(), losses.end(),
                   [](const JobLoss& a, const JobLoss& b) { return a.ps > b.ps; });
  return losses;
}

}  // namespace heddle
