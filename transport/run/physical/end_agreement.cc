// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/end_agreement.h"

namespace heddle {

EndAgreement::Verdict EndAgreement::Turn(const Say& say, std::int64_t now) {
  RunningSum::Values sums{};
  if (sum_.Take(&sums)) {
    last_ = now;
    const Verdict verdict = Judge(sums);
    if (verdict != Verdict::kGoOn) return verdict;
  }
  if (!say.idle) idle_since_ = -1;
  if (say.idle && idle_since_ < 0) idle_since_ = now;
  const bool quiet = say.idle && now - idle_since_ >= kQuiet;
  if (!sum_.open() && (quiet || now - last_ >= kPause))
    sum_.Join({say.idle ? 0 : 1, say.sent, say.received, say.wants_cut ? 1 : 0});
  return Verdict::kGoOn;
}

EndAgreement::Verdict EndAgreement::Judge(const RunningSum::Values& sums) {
  ++count_;
  const auto [busy, sent, received, want_cut] = sums;
  const bool quiet = busy == 0 && sent == received;
  if (quiet && quiet_at_ == sent) return Verdict::kEnd;
  quiet_at_ = quiet ? sent : -1;
  return want_cut > 0 ? Verdict::kCut : Verdict::kGoOn;
}

}  // namespace heddle
