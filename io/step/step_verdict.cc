// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "core/base/units.h"

namespace heddle {
namespace {

double AsUs(std::int64_t ps) { return Time{ps}.microseconds(); }

/// Sums of a critical path by cause, and the link with most of each.
struct CauseTotals {
  std::array<std::int64_t, kStepCauses> ps{};
  std::array<const CauseSum*, kStepCauses> worst{};

  explicit CauseTotals(const StepExplanation& study) {
    for (const CauseSum& sum : study.causes) {  // longest first
      const auto cause = static_cast<std::size_t>(sum.cause);
      ps[cause] += sum.ps;
      if (worst[cause] == nullptr) worst[cause] = &sum;
    }
  }
};

/// Causes by a value, the largest first.
template <class Value>
std::vector<std::size_t> CausesBy(Value value) {
  std::vector<std::size_t> order(kStepCauses);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  return order;
}

const char* NameOf(std::size_t cause) { return ToText(static_cast<StepCause>(cause)); }

/// "+45.0 us collisions (40.1 on leaf 5 -> spine 2)": with the slower one's worst link.
std::string DifferenceOf(std::size_t cause, std::int64_t ps, const CauseTotals& slower) {
  std::string text = fmt::format("{:+.1f} us {}", AsUs(ps), NameOf(cause));
  const CauseSum* worst = slower.worst[cause];
  if (ps > 0 && worst != nullptr && !worst->link.empty())
    text += fmt::format(" ({:.1f} on {})", AsUs(worst->ps), worst->link);
  return text;
}

/// Causes whose difference is at least a twentieth of the largest one, and the others together:
/// first what makes it slower, the largest first, then what makes it faster, the largest first.
std::string DifferencesOf(const CauseTotals& faster, const CauseTotals& slower) {
  const auto difference = [&](std::size_t cause) { return slower.ps[cause] - faster.ps[cause]; };
  std::vector<std::size_t> order =
      CausesBy([&](std::size_t cause) { return std::abs(difference(cause)); });
  const std::int64_t most = std::abs(difference(order.front()));
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t cause) { return difference(cause) > 0; });
  std::string text;
  std::int64_t rest = 0;
  for (const std::size_t cause : order) {
    const std::int64_t ps = difference(cause);
    if (ps == 0 || std::abs(ps) * 20 < most) {
      rest += ps;
      continue;
    }
    text += (text.empty() ? "" : ", ") + DifferenceOf(cause, ps, slower);
  }
  if (std::abs(AsUs(rest)) >= 0.05) text += fmt::format(", {:+.1f} us others", AsUs(rest));
  return text;
}

/// What a fabric without latencies, queues and losses needs, too: also what a sender's own link
/// takes for its other messages.
bool IsIdeal(StepCause cause) {
  return cause == StepCause::kCompute || cause == StepCause::kAlone ||
         cause == StepCause::kLineRate || cause == StepCause::kOwnLink;
}

/// "500.0 collisions (400.0 on leaf 5 -> spine 2) + 200.0 computing": the wanted causes that are at
/// least a hundredth of `all`, their sum, the longest first, with the link that has half of it, and
/// the rest.
template <class Wanted>
std::string SumOf(const CauseTotals& totals, std::int64_t all, const Wanted& wanted) {
  std::int64_t rest = all;
  std::string text;
  for (const std::size_t cause : CausesBy([&](std::size_t c) { return totals.ps[c]; })) {
    const std::int64_t ps = totals.ps[cause];
    if (!wanted(static_cast<StepCause>(cause)) || ps * 100 < all || ps == 0) continue;
    text += fmt::format("{}{:.1f} {}", text.empty() ? "" : " + ", AsUs(ps), NameOf(cause));
    const CauseSum& worst = *totals.worst[cause];
    if (!worst.link.empty() && 2 * worst.ps >= ps)
      text += fmt::format(" ({:.1f} on {})", AsUs(worst.ps), worst.link);
    rest -= ps;
  }
  if (AsUs(rest) >= 0.05)
    text += fmt::format("{}{:.1f} others", text.empty() ? "" : " + ", AsUs(rest));
  return text;
}

/// "; 286.4 us lost, 241.4 us won back" where causes are larger than what they leave.
std::string BalanceOf(const CauseTotals& faster, const CauseTotals& slower, std::int64_t left_ps) {
  std::int64_t lost = 0, won = 0;
  for (std::size_t cause = 0; cause < kStepCauses; ++cause) {
    const std::int64_t ps = slower.ps[cause] - faster.ps[cause];
    (ps > 0 ? lost : won) += std::abs(ps);
  }
  if (won < left_ps) return "";
  return fmt::format("; {:.1f} us lost, {:.1f} us won back", AsUs(lost), AsUs(won));
}

}  // namespace

std::string CriticalPathLine(const StepExplanation& study) {
  const std::int64_t all = study.end_ps - study.start_ps;
  return fmt::format("{:.1f} us = {}", AsUs(all),
                     SumOf(CauseTotals(study), all, [](StepCause) { return true; }));
}

std::string BeyondIdealLine(const StepExplanation& study) {
  const std::int64_t all = study.end_ps - study.start_ps;
  const CauseTotals totals(study);
  std::int64_t beyond = 0;
  for (std::size_t cause = 0; cause < kStepCauses; ++cause)
    beyond += IsIdeal(static_cast<StepCause>(cause)) ? 0 : totals.ps[cause];
  const std::string text = fmt::format("{:.1f} us of {:.1f}", AsUs(beyond), AsUs(all));
  if (beyond == 0) return text;
  return text + ": " + SumOf(totals, beyond, [](StepCause cause) { return !IsIdeal(cause); });
}

std::string StepVerdict(const std::string& a_name, const StepExplanation& a,
                        const std::string& b_name, const StepExplanation& b) {
  const std::int64_t a_ps = a.end_ps - a.start_ps, b_ps = b.end_ps - b.start_ps;
  if (a_ps == b_ps) return fmt::format("{} and {} end at the same time", a_name, b_name);
  if (a_ps > b_ps) return StepVerdict(b_name, b, a_name, a);
  const CauseTotals faster(a), slower(b);
  return fmt::format("{} is {:.1f} % slower than {} ({:.1f} us{}): {}", b_name,
                     100 * static_cast<double>(b_ps - a_ps) / static_cast<double>(a_ps), a_name,
                     AsUs(b_ps - a_ps), BalanceOf(faster, slower, b_ps - a_ps),
                     DifferencesOf(faster, slower));
}

}  // namespace heddle
