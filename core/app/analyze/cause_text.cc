// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/analyze/cause_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/units.h"
#include "io/step/step_verdict.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

double Microseconds(std::int64_t ps) { return Time{ps}.microseconds(); }

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/// "37.92 % computing, 31.71 % exposed DP, ...": parts of at least a hundredth of a percent.
std::string TimeLine(const StepExplanation& study) {
  std::string text;
  for (const StepShare& share : study.shares) {
    const double part = share.ps / study.time.span_ps;
    if (part < 5e-5) continue;
    text += fmt::format("{}{:.2f} % {}", text.empty() ? "" : ", ", 100 * part, share.name);
  }
  return text;
}

/// "collisions on leaf 5 -> spine 2"
std::string NameOf(const CauseSum& sum) {
  if (sum.link.empty()) return ToText(sum.cause);
  return fmt::format("{} {} {}", ToText(sum.cause), sum.cause == StepCause::kPauses ? "from" : "on",
                     sum.link);
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
  text += "time of all GPUs " + TimeLine(study) + "\n";
  text += "critical path    " + CriticalPathLine(study) + "\n";
  text += "beyond ideal     " + BeyondIdealLine(study) + "\n";
  text += fmt::format("\nits {} pieces by cause\n", study.pieces.size());
  text += CauseLines(study, shown);
  text += "\nlongest pieces\n" + LongestPieces(study, shown);
  const std::string notes = Notes(study);
  return notes.empty() ? text : text + "\n" + notes;
}

std::string DescribeInterference(const std::vector<StepExplanation>& studies, std::size_t shown) {
  const auto name_of = [&](std::uint32_t job) {
    std::string text = fmt::format("job {}", job);
    for (const StepExplanation& study : studies) {
      if (study.job == job && !study.name.empty()) text += " '" + study.name + "'";
    }
    return text;
  };
  std::string text;
  for (const StepExplanation& study : studies) {
    std::int64_t lost = 0;
    for (const JobLoss& loss : study.lost) lost += loss.ps;
    const std::int64_t all = study.end_ps - study.start_ps;
    text += fmt::format(
        "{}: {:.1f} us, {:.1f} us ({:.1f} %) of its critical path behind other jobs' messages\n",
        name_of(study.job), Microseconds(all), Microseconds(lost),
        Percent(static_cast<double>(lost), static_cast<double>(all)));
    for (std::size_t i = 0; i < std::min(study.lost.size(), shown); ++i) {
      const JobLoss& loss = study.lost[i];
      text += fmt::format("  {:>12.1f} us behind {} on {}\n", Microseconds(loss.ps),
                          name_of(loss.job), loss.link);
    }
    if (study.lost.size() > shown)
      text += fmt::format("  and {} more (--top)\n", study.lost.size() - shown);
    text += Notes(study);
  }
  return text;
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
      text += fmt::format("{},{},{},{},{},{}\n", study.job, piece.from_ps,
                          piece.from_ps + piece.part.ps, ToText(piece.part.cause), CsvField(link),
                          CsvField(study.what[i]));
    }
  }
  return text;
}

}  // namespace heddle
