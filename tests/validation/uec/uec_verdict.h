// SPDX-License-Identifier: GPL-2.0-only
/// Whether heddle's figures of a case agree with uet-htsim's, and the table of all.
///
/// Both are means over seeds; their random generators differ, so distributions are compared. A
/// figure agrees if its mean is in the range of uet-htsim's seeds, or as near its mean as the bound
/// says:
///   mean completion time   3 %;  1 % for an incast with receiver credit
///   last completion        7 %, 12 % if packets were trimmed or dropped;  1 % as above
///   NACKs, packets resent  20 %, or 20 packets, or the ranges of the seeds overlap: where they are
///                          few they are luck
///   reordering             a factor of 2, and 8 packets
/// Where hash collisions decide, it also agrees if uet-htsim's mean is in the range of heddle's
/// seeds, or as near to it.
#pragma once

#include <string>
#include <vector>

#include "tests/validation/uec/uec_figures.h"

namespace heddle::testing {

struct Judged {
  std::string figure;
  Spread ours, theirs;
  bool agrees = false;
  double ratio() const { return theirs.mean == 0 ? 0 : ours.mean / theirs.mean; }
};

/// In the order above.
std::vector<Judged> Judge(const UecCase& c, const Figures& ours, const Figures& theirs);

/// Head and row of a table in Markdown.
std::string VerdictHead();
std::string VerdictRow(const std::string& name, const std::vector<Judged>& judged,
                       const std::string& remark);

}  // namespace heddle::testing
