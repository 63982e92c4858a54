// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/uec/uec_verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::testing {
namespace {

bool Within(const Spread& ours, const Spread& theirs, double share, double slack) {
  return (ours.mean >= theirs.low && ours.mean <= theirs.high) ||
         std::abs(ours.mean - theirs.mean) <= share * theirs.mean + slack;
}

bool SameOrder(const Spread& ours, const Spread& theirs) {
  constexpr double kFactor = 2, kSlack = 8;
  return ours.mean <= kFactor * theirs.high + kSlack && ours.mean >= theirs.low / kFactor - kSlack;
}

/// Share by which a mean may differ.
double BoundOf(const UecCase& c, const std::string& figure, bool loss) {
  if (figure == "nacks" || figure == "resent") return 0.2;
  const bool credit_incast =
      c.name.find("-incast") != std::string::npos && c.name.find("-nscc") == std::string::npos;
  if (credit_incast) return 0.01;
  if (figure == "mean_us") return 0.03;
  return loss ? 0.12 : 0.07;
}

bool Agrees(const UecCase& c, const std::string& figure, const Spread& ours, const Spread& theirs,
            bool loss) {
  if (figure == "most_held" || figure == "furthest") return SameOrder(ours, theirs);
  const double bound = BoundOf(c, figure, loss);
  const bool rare = figure == "nacks" || figure == "resent";
  if (Within(ours, theirs, bound, rare ? 20 : 0)) return true;
  if (c.by_luck)
    return theirs.mean >= ours.low * (1 - bound) && theirs.mean <= ours.high * (1 + bound);
  return rare && ours.low <= theirs.high && theirs.low <= ours.high;
}

std::string Cell(const Judged& j) {
  const int digits = j.figure.find("_us") == std::string::npos ? 0 : 2;
  std::string text =
      fmt::format("{:.{}f} | {:.{}f} | ", j.ours.mean, digits, j.theirs.mean, digits);
  if (digits > 0) text += fmt::format("{:.3f}", j.ratio());
  return text + (j.agrees ? "" : " **!**");
}

}  // namespace

std::vector<Judged> Judge(const UecCase& c, const Figures& ours, const Figures& theirs) {
  const bool loss = theirs.at("resent").mean > 0;
  std::vector<Judged> judged;
  for (const char* figure : {"mean_us", "last_us", "nacks", "resent", "most_held", "furthest"}) {
    Judged one{figure, ours.at(figure), theirs.at(figure)};
    one.agrees = Agrees(c, figure, one.ours, one.theirs, loss);
    judged.push_back(one);
  }
  return judged;
}

std::string VerdictHead() {
  std::string names = "| case |", rule = "|---|";
  for (const char* figure : {"mean [us]", "last [us]", "NACKs", "resent", "held", "furthest"}) {
    names += fmt::format(" {} | uet-htsim | ratio |", figure);
    rule += "---:|---:|---:|";
  }
  return names + " remark |\n" + rule + "---|\n";
}

std::string VerdictRow(const std::string& name, const std::vector<Judged>& judged,
                       const std::string& remark) {
  std::string row = "| " + name + " |";
  for (const Judged& one : judged) row += " " + Cell(one) + " |";
  return row + " " + remark + " |\n";
}

}  // namespace heddle::testing
