// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include "core/app/views/analyze/failure_text.h"
#include "core/app/views/analyze/failure_words.h"
#include "io/failures/failure_sums.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

std::string LateText(const LateOnes& late, const char* what) {
  std::string text = fmt::format(
      "  {}: {} of {} ended later, {} earlier{}{}\n", what, late.later, late.compared, late.earlier,
      late.unended == 0 ? "" : fmt::format(", {} did not end", late.unended),
      late.absent == 0 ? "" : fmt::format(", {} were never asked for", late.absent));
  if (late.most_ps > 0)
    text += fmt::format("    the most: {}, by {:.1f} us\n", late.most, UsOf(late.most_ps));
  return text;
}

}  // namespace

std::string DescribeDifference(const FailureDifference& difference) {
  std::string text = fmt::format("against {}{}\n", difference.other,
                                 difference.other_failed ? ", in which something failed, too" : "");
  for (const LateJob& job : difference.jobs) {
    text += "  " + NameOfJob(job.job, job.name);
    if (!job.ended_in_both()) {
      text += fmt::format(" {}\n", job.span_ps < 0 ? "did not end" : "did not end there");
      continue;
    }
    text +=
        fmt::format(": {:+.1f} us, {:.1f} instead of {:.1f} us ({:+.1f} %)\n", UsOf(job.late_ps()),
                    UsOf(job.span_ps), UsOf(job.other_ps), 100 * job.late_share());
  }
  if (difference.has_collectives) text += LateText(difference.collectives, "collectives");
  if (!difference.has_flows) return text;
  text += LateText(difference.flows, "flows");
  if (difference.flows.unended + difference.flows.absent > 0) return text;
  return text + fmt::format("  last flow: {:+.1f} us, at {:.1f} instead of {:.1f} us\n",
                            UsOf(difference.last_end_ps - difference.other_last_end_ps),
                            UsOf(difference.last_end_ps), UsOf(difference.other_last_end_ps));
}

std::string FailureLines(const FailureStudy& study) {
  std::string text =
      "what,kind,spells,from_ps,until_ps,down_ps,lost_packets,flows,timed_out,timeouts,nacks,"
      "resent_bytes,rerouted,no_way,unfinished,unharmed,moved,detours,moved_resent_bytes,"
      "longest_ps,longest,collectives\n";
  constexpr const char* kKinds[] = {"link", "node", "slow link"};
  for (const StudiedOutage& one : study.outages) {
    const std::vector<OutageSpell>& spells = one.outage.spells;
    const OutageFlows& flows = one.flows;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                        CsvField(one.outage.name), kKinds[static_cast<int>(one.outage.kind)],
                        spells.size(), spells.front().from_ps, spells.back().until_ps,
                        TimeOut(one.outage, study.end_ps), one.lost_packets, flows.on_it,
                        flows.timed_out, flows.recovery.timeouts, flows.recovery.nacks,
                        flows.recovery.resent_bytes, flows.rerouted, flows.no_way, flows.unfinished,
                        flows.unharmed, flows.moved, flows.detours, flows.of_moved.resent_bytes,
                        flows.longest_ps, CsvField(one.longest), one.held.size());
  }
  return text;
}

}  // namespace heddle
