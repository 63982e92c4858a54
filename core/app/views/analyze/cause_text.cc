// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/cause_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "io/step/step_verdict.h"

namespace heddle {
namespace {

constexpr int kStepSchema = 1, kInterferenceSchema = 1;

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
  const auto all = static_cast<double>(study.span_ps());
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

std::string PieceTexts(const StepExplanation& study, std::size_t shown) {
  std::string text;
  for (const std::size_t i : LongestPieces(study.pieces, shown)) {
    const CausedPiece& piece = study.pieces[i];
    text += fmt::format("  {:>12.1f} us at {:.1f} us  {}: {}\n", Microseconds(piece.part.ps),
                        Microseconds(piece.from_ps), ToText(piece.part.cause), study.what[i]);
  }
  return text;
}

/// A piece with its job.
struct PieceRow {
  const StepExplanation& study;
  std::size_t index = 0;
  const CausedPiece& piece() const { return study.pieces[index]; }
};

PrintedColumns<PieceRow> PieceColumns() {
  return {{"job", [](const PieceRow& row) { return row.study.job; }},
          {"from_ps", [](const PieceRow& row) { return row.piece().from_ps; }},
          {"to_ps", [](const PieceRow& row) { return row.piece().from_ps + row.piece().part.ps; }},
          {"cause", [](const PieceRow& row) { return ToText(row.piece().part.cause); }},
          {"link", [](const PieceRow& row) { return NullIfEmpty(row.study.LinkOf(row.index)); }},
          {"piece", [](const PieceRow& row) { return row.study.what[row.index]; }}};
}

PrintedColumns<CauseSum> CauseColumns() {
  return {{"cause", [](const CauseSum& sum) { return ToText(sum.cause); }},
          {"link", [](const CauseSum& sum) { return NullIfEmpty(sum.link); }},
          {"time_ps", &CauseSum::ps},
          {"pieces", &CauseSum::parts},
          {"with", &CauseSum::with}};
}

PrintedColumns<JobLoss> LossColumns() {
  return {{"job", &JobLoss::job}, {"link", &JobLoss::link}, {"lost_ps", &JobLoss::ps}};
}

/// The first `shown` of a list.
template <class Item>
std::vector<Item> FirstOf(const std::vector<Item>& all, std::size_t shown) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), shown))};
}

/// What every object about a job begins with.
OrderedJson JobJson(const StepExplanation& study) {
  return {{"job", study.job},
          {"name", NullIfEmpty(study.name)},
          {"start_ps", study.start_ps},
          {"end_ps", study.end_ps},
          {"time_ps", study.span_ps()}};
}

OrderedJson SharesJson(const StepExplanation& study) {
  OrderedJson shares = OrderedJson::array();
  for (const StepShare& share : study.shares) {
    shares.push_back({{"part", share.name},
                      {"group", NullIfEmpty(share.group)},
                      {"time_ps", share.ps},
                      {"share", share.ps / study.time.span_ps}});
  }
  return shares;
}

/// What is not known, and the option that keeps it.
std::vector<std::string> NotesOf(const StepExplanation& study) {
  std::vector<std::string> notes;
  if (!study.has_messages) {
    notes.emplace_back(
        "the result does not have all messages, so collectives are not taken apart; --record "
        "flows=all keeps them");
  } else if (!study.has_paths) {
    notes.emplace_back("the paths of packets are not in the result, so no link is named");
  }
  if (study.topology_changed)
    notes.emplace_back("links failed or changed; paths are those of the healthy fabric");
  return notes;
}

std::string Notes(const StepExplanation& study) {
  std::string text;
  for (const std::string& note : NotesOf(study)) text += "note: " + note + "\n";
  return text;
}

}  // namespace

std::string DescribeCauses(const StepExplanation& study, std::size_t shown) {
  std::string text = fmt::format("job {}{}: {:.1f} us, {} ended last\n", study.job,
                                 study.name.empty() ? "" : " '" + study.name + "'",
                                 Microseconds(study.span_ps()), study.last_gpu);
  text += "time of all GPUs " + TimeLine(study) + "\n";
  text += "critical path    " + CriticalPathLine(study) + "\n";
  text += "beyond ideal     " + BeyondIdealLine(study) + "\n";
  text += fmt::format("\nits {} pieces by cause\n", study.pieces.size());
  text += CauseLines(study, shown);
  text += "\nlongest pieces\n" + PieceTexts(study, shown);
  const std::string notes = Notes(study);
  return notes.empty() ? text : text + "\n" + notes;
}

OrderedJson CausesJson(const std::vector<StepExplanation>& studies, std::size_t shown,
                       const std::string& result) {
  OrderedJson document = JsonDocument("analyze step", kStepSchema);
  document["result"] = result;
  document["jobs"] = OrderedJson::array();
  for (const StepExplanation& study : studies) {
    std::vector<PieceRow> longest;
    for (const std::size_t i : LongestPieces(study.pieces, shown)) longest.push_back({study, i});
    OrderedJson job = JobJson(study);
    job["last_gpu"] = study.last_gpu;
    job["time_shares"] = SharesJson(study);
    job["critical_path"] = CriticalPathLine(study);
    job["beyond_ideal"] = BeyondIdealLine(study);
    job["causes_count"] = study.causes.size();
    job["causes"] = PrintedList(CauseColumns(), FirstOf(study.causes, shown));
    job["pieces_count"] = study.pieces.size();
    job["longest_pieces"] = PrintedList(PieceColumns(), longest);
    job["notes"] = NotesOf(study);
    document["jobs"].push_back(std::move(job));
  }
  return document;
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
    const std::int64_t lost = study.lost_ps();
    const std::int64_t all = study.span_ps();
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

OrderedJson InterferenceJson(const std::vector<StepExplanation>& studies, std::size_t shown,
                             const std::string& result) {
  OrderedJson document = JsonDocument("analyze interference", kInterferenceSchema);
  document["result"] = result;
  document["jobs"] = OrderedJson::array();
  for (const StepExplanation& study : studies) {
    OrderedJson job = JobJson(study);
    job["lost_ps"] = study.lost_ps();
    job["losses_count"] = study.lost.size();
    job["losses"] = PrintedList(LossColumns(), FirstOf(study.lost, shown));
    job["notes"] = NotesOf(study);
    document["jobs"].push_back(std::move(job));
  }
  return document;
}

std::string PieceLines(const std::vector<StepExplanation>& studies) {
  const PrintedColumns<PieceRow> columns = PieceColumns();
  std::string text = PrintedCsvHead(columns);
  for (const StepExplanation& study : studies) {
    for (std::size_t i = 0; i < study.pieces.size(); ++i)
      text += PrintedCsvLine(columns, PieceRow{study, i});
  }
  return text;
}

}  // namespace heddle
