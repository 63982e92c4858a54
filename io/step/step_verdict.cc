// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>
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

constexpr auto kCompute = static_cast<std::size_t>(StepCause::kCompute);

/// What of a difference of two times each cause has. They sum to it.
struct CauseDifferences {
  std::array<std::int64_t, kStepCauses> ps{};
  std::int64_t all_ps = 0;   ///< of the times
  std::int64_t path_ps = 0;  ///< by how much the slower one's path computes longer
  double scale = 1;          ///< of all causes but computing
  bool comparable = true;    ///< whether `scale` is small enough to say anything

  /// Whether the paths differ in computing that both steps have.
  bool paths_differ() const {
    return std::abs(path_ps - ps[kCompute]) * kSmallest >= all_ps || !comparable;
  }
  static constexpr std::int64_t kSmallest = 20;  ///< a twentieth is worth a sentence
};

/// By how much all GPUs of the slower one compute longer, in the mean.
std::int64_t ComputingOf(const StepExplanation& faster, const StepExplanation& slower) {
  if (faster.shares.empty() || slower.shares.empty()) return 0;
  return std::llround(slower.shares.front().ps - faster.shares.front().ps);
}

/// Computing that others wait for on one path and nobody on the other is no difference.
void ExchangeComputing(std::array<std::int64_t, kStepCauses>* ps) {
  std::int64_t& all = (*ps)[kCompute];
  std::int64_t& alone = (*ps)[static_cast<std::size_t>(StepCause::kAlone)];
  if ((all < 0) == (alone < 0)) return;
  const std::int64_t both = std::min(std::abs(all), std::abs(alone));
  all += all < 0 ? both : -both;
  alone += alone < 0 ? both : -both;
}

/// The differences of the critical paths, scaled to that of the steps: where one path runs through
/// other GPUs, what it has more of messages stands in place of computing that is no difference.
CauseDifferences Subtract(const StepExplanation& faster, const StepExplanation& slower) {
  constexpr double kMostScale = 2;
  const CauseTotals a(faster), b(slower);
  CauseDifferences found;
  found.all_ps = slower.span_ps() - faster.span_ps();
  for (std::size_t cause = 0; cause < kStepCauses; ++cause)
    found.ps[cause] = b.ps[cause] - a.ps[cause];
  ExchangeComputing(&found.ps);
  found.path_ps = found.ps[kCompute];
  found.ps[kCompute] = ComputingOf(faster, slower);
  const auto wanted = static_cast<double>(found.all_ps - found.ps[kCompute]);
  const auto on_paths = static_cast<double>(found.all_ps - found.path_ps);
  found.scale = on_paths != 0 ? wanted / on_paths : 1;
  found.comparable = found.scale >= 1 / kMostScale && found.scale <= kMostScale;
  for (std::size_t cause = 0; cause < kStepCauses; ++cause) {
    if (cause != kCompute)
      found.ps[cause] = std::llround(found.scale * static_cast<double>(found.ps[cause]));
  }
  return found;
}

/// A named part of a difference.
struct DifferencePart {
  std::string name;
  std::int64_t ps = 0;
};

/// "+45.0 us collisions, +3.1 us software latency, -6.6 us others": parts of at least a twentieth
/// of the largest one, and the others together: first what makes it slower, the largest first, then
/// what makes it faster, the largest first.
std::string DifferencesOf(std::vector<DifferencePart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.ps) > std::abs(b.ps); });
  const std::int64_t most = parts.empty() ? 0 : std::abs(parts.front().ps);
  std::stable_partition(parts.begin(), parts.end(), [](const auto& part) { return part.ps > 0; });
  std::string text;
  std::int64_t rest = 0;
  for (const DifferencePart& part : parts) {
    if (part.ps == 0 || std::abs(part.ps) * CauseDifferences::kSmallest < most) {
      rest += part.ps;
      continue;
    }
    text += fmt::format("{}{:+.1f} us {}", text.empty() ? "" : ", ", AsUs(part.ps), part.name);
  }
  if (std::abs(AsUs(rest)) >= 0.05) text += fmt::format(", {:+.1f} us others", AsUs(rest));
  return text;
}

/// By cause, each that is worse with the slower one's worst link: "collisions (40.1 on leaf 5 ->
/// spine 2)".
std::string ByCause(const CauseDifferences& differences, const StepExplanation& slower) {
  const CauseTotals totals(slower);
  std::vector<DifferencePart> parts;
  for (std::size_t cause = 0; cause < kStepCauses; ++cause) {
    DifferencePart part{NameOf(cause), differences.ps[cause]};
    const CauseSum* worst = totals.worst[cause];
    if (part.ps > 0 && worst != nullptr && !worst->link.empty()) {
      part.name +=
          fmt::format(" ({:.1f} on {})",
                      AsUs(worst->ps) * (cause == kCompute ? 1 : differences.scale), worst->link);
    }
    parts.push_back(std::move(part));
  }
  return DifferencesOf(std::move(parts));
}

/// By what all GPUs did or waited for, in the mean: "+40.0 us exposed DP, -2.0 us exposed TP".
/// Empty if a result does not say it.
std::string ByPart(const StepExplanation& faster, const StepExplanation& slower) {
  if (faster.shares.size() != slower.shares.size()) return "";
  std::vector<DifferencePart> parts;
  for (std::size_t i = 0; i < slower.shares.size(); ++i)
    parts.push_back({slower.shares[i].name,
                     std::llround(slower.shares[i].ps) - std::llround(faster.shares[i].ps)});
  return DifferencesOf(std::move(parts));
}

/// Why the causes are not simply those of the paths.
std::string PathNote(const CauseDifferences& differences, const std::string& slower) {
  if (!differences.paths_differ()) return "";
  const std::string paths = fmt::format(
      "The critical path of {} runs through other GPUs or stages: {:.1f} us {} of it {} computing",
      slower, AsUs(std::abs(differences.path_ps - differences.ps[kCompute])),
      differences.path_ps > differences.ps[kCompute] ? "more" : "less", "is");
  return paths + (differences.comparable
                      ? fmt::format(", so all causes are scaled by {:.2f}", differences.scale)
                      : std::string(", so causes cannot be compared (heddle analyze step)"));
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
std::string BalanceOf(const CauseDifferences& differences) {
  std::int64_t lost = 0, won = 0;
  for (const std::int64_t ps : differences.ps) (ps > 0 ? lost : won) += std::abs(ps);
  if (won < differences.all_ps || !differences.comparable) return "";
  return fmt::format("; {:.1f} us lost, {:.1f} us won back", AsUs(lost), AsUs(won));
}

}  // namespace

std::string CriticalPathLine(const StepExplanation& study) {
  const std::int64_t all = study.span_ps();
  return fmt::format("{:.1f} us = {}", AsUs(all),
                     SumOf(CauseTotals(study), all, [](StepCause) { return true; }));
}

std::string BeyondIdealLine(const StepExplanation& study) {
  const std::int64_t all = study.span_ps();
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
  const std::int64_t a_ps = a.span_ps(), b_ps = b.span_ps();
  if (a_ps == b_ps) return fmt::format("{} and {} end at the same time", a_name, b_name);
  if (a_ps > b_ps) return StepVerdict(b_name, b, a_name, a);
  const CauseDifferences differences = Subtract(a, b);
  const std::string parts = ByPart(a, b), note = PathNote(differences, b_name);
  std::string text = fmt::format("{} is {:.1f} % slower than {} ({:.1f} us{}): ", b_name,
                                 100 * static_cast<double>(b_ps - a_ps) / static_cast<double>(a_ps),
                                 a_name, AsUs(b_ps - a_ps), BalanceOf(differences));
  text += parts;
  if (differences.comparable)
    text += (parts.empty() ? "" : ". By cause: ") + ByCause(differences, b);
  return note.empty() ? text : text + ". " + note;
}

}  // namespace heddle
