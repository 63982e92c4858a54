// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/results/cause_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/units.h"

namespace heddle {
namespace {

double Microseconds(std::int64_t ps) { return Time{ps}.microseconds(); }

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// "37.92 % computed, 31.71 % other stages, ...": parts of at least a hundredth of a percent.
std::string TimeLine(const StepTime& time) {
  std::string text;
  for (int i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (time.of(part) < 5e-5) continue;
    text +=
        fmt::format("{}{:.2f} % {}", text.empty() ? "" : ", ", 100 * time.of(part), ToText(part));
  }
  return text;
}

/// "collisions on leaf 5 -> spine 2"
std::string NameOf(const CauseSum& sum) {
  if (sum.link.empty()) return ToText(sum.cause);
  return fmt::format("{} {} {}", ToText(sum.cause), sum.cause == StepCause::kPauses ? "from" : "on",
                     sum.link);
}

/// "1200.0 us = 400.0 computing + 300.0 messages at line rate + 500.0 collisions (400.0 on leaf 5
/// -> spine 2)": causes that are at least a hundredth, with the link that has half of it, and the
/// rest.
std::string SumLine(const StepExplanation& study) {
  const std::int64_t all = study.end_ps - study.start_ps;
  std::array<std::int64_t, kStepCauses> sums{};
  std::array<const CauseSum*, kStepCauses> worst{};
  for (const CauseSum& sum : study.causes) {
    const auto cause = static_cast<std::size_t>(sum.cause);
    sums[cause] += sum.ps;
    if (worst[cause] == nullptr) worst[cause] = &sum;
  }
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  std::int64_t rest = all;
  std::string text = fmt::format("{:.1f} us", Microseconds(all));
  const char* sign = " =";
  for (const std::size_t cause : order) {
    if (sums[cause] * 100 < all) continue;
    text += fmt::format("{} {:.1f} {}", sign, Microseconds(sums[cause]),
                        ToText(static_cast<StepCause>(cause)));
    if (!worst[cause]->link.empty() && 2 * worst[cause]->ps >= sums[cause])
      text += fmt::format(" ({:.1f} on {})", Microseconds(worst[cause]->ps), worst[cause]->link);
    sign = " +";
    rest -= sums[cause];
  }
  if (Microseconds(rest) >= 0.05) text += fmt::format("{} {:.1f} others", sign, Microseconds(rest));
  return text;
}

std::string CauseLines(const StepExplanation& study, std::size_t shown) {
  const auto all = static_cast<double>(study.end_ps - study.start_ps);
  std::string text;
  for (std::size_t i = 0; i < std::min(study.causes.size(), shown); ++i) {
    const CauseSum& sum = study.causes[i];
    text += fmt::format("  {:>12.1f} us {:>7.2f} %  {} ({} piece{})\n", Microseconds(sum.ps),
                        Percent(static_cast<double>(sum.ps), all), NameOf(sum), sum.parts,
                        sum.parts == 1 ? "" : "s");
    if (!sum.with.empty())
      text += fmt::format("  {:>25}  with {}\n", "", fmt::join(sum.with, ", "));
  }
  if (study.causes.size() > shown)
    text += fmt::format("  and {} more causes (--top)\n", study.causes.size() - shown);
  return text;
}

std::string LongestPieces(const StepExplanation& study, std::size_t shown) {
  std::vector<std::size_t> order(study.pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(shown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return std::make_pair(-study.pieces[a].part.ps, a) <
                             std::make_pair(-study.pieces[b].part.ps, b);
                    });
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const CausedPiece& piece = study.pieces[order[i]];
    text +=
        fmt::format("  {:>12.1f} us at {:.1f} us  {}: {}\n", Microseconds(piece.part.ps),
                    Microseconds(piece.from_ps), ToText(piece.part.cause), study.what[order[i]]);
  }
  return text;
}

/// What is not known, and the option that keeps it.
std::string Notes(const StepExplanation& study) {
  std::string text;
  if (!study.has_messages) {
    text +=
        "note: the result does not have all messages, so collectives are not taken apart; "
        "--record flows=all keeps them\n";
  } else if (!study.has_paths) {
    text += "note: the paths of packets are not in the result, so no link is named\n";
  }
  if (study.topology_changed)
    text += "note: links failed or changed; paths are those of the healthy fabric\n";
  return text;
}

}  // namespace

std::string DescribeCauses(const StepExplanation& study, std::size_t shown) {
  std::string text = fmt::format("job {}{}: {:.1f} us, {} ended last\n", study.job,
                                 study.name.empty() ? "" : " '" + study.name + "'",
                                 Microseconds(study.end_ps - study.start_ps), study.last_gpu);
  text += "time of all GPUs " + TimeLine(study.time) + "\n";
  text += "critical path    " + SumLine(study) + "\n";
  text += fmt::format("\nits {} pieces by cause\n", study.pieces.size());
  text += CauseLines(study, shown);
  text += "\nlongest pieces\n" + LongestPieces(study, shown);
  const std::string notes = Notes(study);
  return notes.empty() ? text : text + "\n" + notes;
}

std::string PieceLines(const std::vector<StepExplanation>& studies) {
  std::string text = "job,from_ps,to_ps,cause,link,piece\n";
  for (const StepExplanation& study : studies) {
    for (std::size_t i = 0; i < study.pieces.size(); ++i) {
      const CausedPiece& piece = study.pieces[i];
      std::string link;
      for (const CauseSum& sum : study.causes) {
        if (sum.cause == piece.part.cause && sum.hop == piece.part.link) link = sum.link;
      }
      text +=
          fmt::format("{},{},{},{},{},{}\n", study.job, piece.from_ps,
                      piece.from_ps + piece.part.ps, ToText(piece.part.cause), link, study.what[i]);
    }
  }
  return text;
}

}  // namespace heddle
