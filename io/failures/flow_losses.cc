// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/flow_losses.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint32_t kNone = FlowFate::kNoOutage;

void AddTo(Recovery* sum, const Recovery& part) {
  sum->timeouts += part.timeouts;
  sum->waited_ps += part.waited_ps;
  sum->nacks += part.nacks;
  sum->resent_bytes += part.resent_bytes;
}

}  // namespace

FlowLosses::FlowLosses(const ReportSource& source, const Outages& outages)
    : outages_(outages),
      flows_(source.reader().ReadTable("flows")),
      end_ps_(source.end_ps()),
      ways_(source, flows_, outages.events),
      of_link_(OutagesOfLinks(outages.all, source.graph().links().size())),
      flows_of_(outages.all.size()) {
  ReadRecovery(source);
  for (const Outage& outage : outages.all) {
    for (const OutageSpell& spell : outage.spells) {
      if (outage.is_down()) failed_at_.push_back(spell.from_ps);
    }
  }
  std::sort(failed_at_.begin(), failed_at_.end());
  const std::size_t rows = GetColumn<std::uint32_t>(flows_, "src").size();
  fates_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) Study(row);
}

void FlowLosses::ReadRecovery(const ReportSource& source) {
  if (!source.HasRows("recovery")) return;
  const Table table = source.reader().ReadTable("recovery");
  const auto& src = GetColumn<std::uint32_t>(table, "src");
  const auto& number = GetColumn<std::uint32_t>(table, "number");
  const auto& timeouts = GetColumn<std::uint16_t>(table, "timeouts");
  const auto& waited = GetColumn<std::int64_t>(table, "waited_ps");
  const auto& nacks = GetColumn<std::uint32_t>(table, "nacks");
  const auto& resent = GetColumn<std::int64_t>(table, "resent_bytes");
  for (std::size_t i = 0; i < src.size(); ++i)
    recovery_[{src[i], number[i]}] = {timeouts[i], waited[i], nacks[i], resent[i]};
}

Recovery FlowLosses::RecoveryOf(std::size_t row) const {
  const auto found = recovery_.find({GetColumn<std::uint32_t>(flows_, "src")[row],
                                     GetColumn<std::uint32_t>(flows_, "number")[row]});
  return found == recovery_.end() ? Recovery{} : found->second;
}

void FlowLosses::Study(std::size_t row) {
  std::vector<PathStretch> stretches;
  ways_.Of(row, end_ps_, &stretches);
  if (stretches.empty()) return;
  const std::uint32_t outage = FirstOnPath(row, stretches);
  if (outage != kNone) {
    AddOnIt(row, outage, stretches);
    return;
  }
  AddOnOtherPaths(row, stretches);
  const Recovery recovery = RecoveryOf(row);
  if (fates_[row].outage != kNone) {
    AddTo(&flows_of_[fates_[row].outage].of_moved, recovery);
    return;
  }
  if (recovery.timeouts == 0 && recovery.nacks == 0 && recovery.resent_bytes == 0) return;
  AddTo(&others_, recovery);
  ++flows_of_others_;
}

std::uint32_t FlowLosses::FirstOf(const std::vector<LinkId>& links, const PathStretch& stretch,
                                  bool down_only) const {
  std::uint32_t first = kNone;
  std::int64_t at = 0;
  for (const LinkId link : links) {
    for (const std::uint32_t number : of_link_[link.value]) {
      const Outage& outage = outages_.all[number];
      if (down_only && !outage.is_down()) continue;
      for (const OutageSpell& spell : outage.spells) {
        // Routes that follow at once end the stretch at the moment of the failure.
        const bool met = outage.is_down()
                             ? spell.from_ps <= stretch.to_ps &&
                                   (spell.until_ps < 0 || spell.until_ps > stretch.from_ps)
                             : spell.Overlaps(stretch.from_ps, stretch.to_ps);
        if (!met) continue;
        const std::int64_t time = std::max(spell.from_ps, stretch.from_ps);
        if (first == kNone || time < at) {
          first = number;
          at = time;
        }
        break;
      }
    }
  }
  return first;
}

std::uint32_t FlowLosses::FirstOnPath(std::size_t row,
                                      const std::vector<PathStretch>& stretches) const {
  const std::int64_t end = stretches.back().to_ps;
  for (const PathStretch& stretch : stretches) {
    if (!stretch.has_path) {
      const std::uint32_t blamed = BlamedAt(row, stretch.from_ps);
      if (blamed != kNone) return blamed;
    }
    PathStretch before_end = stretch;
    if (stretch.to_ps == end) --before_end.to_ps;  // done is done
    const std::uint32_t on_way = FirstOf(stretch.links, before_end, false);
    if (on_way != kNone) return on_way;
    // Routes that have followed a failure lead no acknowledgement onto it.
    const auto failure = std::lower_bound(failed_at_.begin(), failed_at_.end(),
                                          stretch.from_ps - ways_.convergence_ps());
    if (failure == failed_at_.end() || *failure > before_end.to_ps) continue;
    const std::uint32_t on_acks = FirstOf(ways_.OfAcks(row, stretch.epoch), before_end, true);
    if (on_acks != kNone) return on_acks;
  }
  return kNone;
}

std::uint32_t FlowLosses::BlamedAt(std::size_t row, std::int64_t time) const {
  const std::int64_t failed = time - ways_.convergence_ps();
  const auto lasts = [&](const Outage& outage) {
    return outage.is_down() &&
           std::any_of(outage.spells.begin(), outage.spells.end(), [&](const OutageSpell& spell) {
             return spell.Overlaps(failed, failed + 1);
           });
  };
  for (const LinkId link : ways_.Healthy(row)) {
    for (const std::uint32_t number : of_link_[link.value]) {
      if (lasts(outages_.all[number])) return number;
    }
  }
  std::uint32_t latest = kNone;
  for (std::uint32_t number = 0; number < outages_.all.size(); ++number) {
    if (lasts(outages_.all[number])) latest = number;
  }
  return latest;
}

void FlowLosses::AddOnIt(std::size_t row, std::uint32_t outage,
                         const std::vector<PathStretch>& stretches) {
  OutageFlows& sum = flows_of_[outage];
  const Recovery recovery = RecoveryOf(row);
  const bool finished = GetColumn<std::int64_t>(flows_, "fct_ps")[row] >= 0;
  std::int64_t no_way = 0;
  bool rerouted = false;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (!stretches[i].has_path) no_way += stretches[i].to_ps - stretches[i].from_ps;
    rerouted |= i > 0 && stretches[i].has_path && stretches[i].links != stretches.front().links;
  }
  ++sum.on_it;
  sum.timed_out += recovery.timeouts > 0;
  sum.sent_again += recovery.resent_bytes > 0;
  sum.rerouted += rerouted;
  sum.no_way += no_way > 0;
  sum.unfinished += !finished;
  sum.unharmed += finished && no_way == 0 && recovery.timeouts == 0 && recovery.nacks == 0 &&
                  recovery.resent_bytes == 0;
  AddTo(&sum.recovery, recovery);
  const std::int64_t waited = std::max(recovery.waited_ps, no_way);
  if (waited > sum.longest_ps) {
    sum.longest_ps = waited;
    sum.longest = row;
  }
  fates_[row] = {outage, FlowFate::Kind::kOnIt, no_way};
}

void FlowLosses::AddOnOtherPaths(std::size_t row, const std::vector<PathStretch>& stretches) {
  const auto add = [&](std::int64_t time, FlowFate::Kind kind) {
    const std::uint32_t blamed = BlamedAt(row, time);
    if (blamed == kNone) return;
    OutageFlows& sum = flows_of_[blamed];
    ++(kind == FlowFate::Kind::kMoved ? sum.moved : sum.detours);
    fates_[row] = {blamed, kind, 0};
  };
  const PathStretch& first = stretches.front();
  if (first.epoch > 0 && first.links != ways_.Healthy(row)) {
    add(first.from_ps, FlowFate::Kind::kDetour);
    return;
  }
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].links == stretches[i - 1].links) continue;
    add(stretches[i].from_ps, FlowFate::Kind::kMoved);
    return;
  }
}

}  // namespace heddle
