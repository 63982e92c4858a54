// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/failure_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/app/views/analyze/failure_costs_text.h"
#include "io/failures/failure_sums.h"

namespace heddle {
namespace {

constexpr int kFailuresSchema = 1;
constexpr const char* kOutageKinds[] = {"link", "node", "slow link"};

/// A text of whole lines without the last line's end.
std::string WithoutEnd(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

PrintedColumns<OutageSpell> SpellColumns() {
  return {{"from_ps", &OutageSpell::from_ps},
          {"until_ps", [](const OutageSpell& spell) { return NullIfNegative(spell.until_ps); }},
          {"rate_bps", [](const OutageSpell& spell) { return spell.rate_bps; }}};
}

PrintedColumns<HeldCollective> HeldColumns() {
  return {{"name", &HeldCollective::name},
          {"messages", &HeldCollective::messages},
          {"time_ps", [](const HeldCollective& held) { return NullIfNegative(held.time_ps); }},
          {"alike", &HeldCollective::alike},
          {"alike_median_ps",
           [](const HeldCollective& held) { return NullUnless(held.alike > 0, held.alike_ps); }}};
}

/// The flows of an outage, under the names of the CSV.
PrintedColumns<OutageFlows> OutageFlowColumns() {
  return {
      {"flows", &OutageFlows::on_it},
      {"timed_out", &OutageFlows::timed_out},
      {"timeouts", [](const OutageFlows& flows) { return flows.recovery.timeouts; }},
      {"nacks", [](const OutageFlows& flows) { return flows.recovery.nacks; }},
      {"sent_again", &OutageFlows::sent_again},
      {"resent_bytes", [](const OutageFlows& flows) { return flows.recovery.resent_bytes; }},
      {"rerouted", &OutageFlows::rerouted},
      {"no_way", &OutageFlows::no_way},
      {"unfinished", &OutageFlows::unfinished},
      {"unharmed", &OutageFlows::unharmed},
      {"longest_ps", &OutageFlows::longest_ps},
      {"moved", &OutageFlows::moved},
      {"detours", &OutageFlows::detours},
      {"moved_resent_bytes", [](const OutageFlows& flows) { return flows.of_moved.resent_bytes; }}};
}

OrderedJson OutageJson(const StudiedOutage& one, bool known) {
  OrderedJson object = {{"what", one.outage.name},
                        {"kind", kOutageKinds[static_cast<int>(one.outage.kind)]},
                        {"spells", PrintedList(SpellColumns(), one.outage.spells)},
                        {"lost_packets", one.lost_packets}};
  const OrderedJson flows = PrintedObject(OutageFlowColumns(), one.flows);
  for (const auto& [key, value] : flows.items()) object[key] = NullUnless(known, value);
  object["longest"] = NullIfEmpty(one.longest);
  object["collectives"] = PrintedList(HeldColumns(), one.held);
  return object;
}

/// What a job lost, outage by outage.
struct CostRow {
  const FailureStudy& study;
  const JobCost& cost;
};

PrintedColumns<CostRow> CostColumns() {
  return {
      {"what", [](const CostRow& row) { return row.study.outages[row.cost.outage].outage.name; }},
      {"lost_ps", [](const CostRow& row) { return row.cost.all_ps(); }},
      {"timeouts_ps", [](const CostRow& row) { return row.cost.timeouts_ps; }},
      {"no_way_ps", [](const CostRow& row) { return row.cost.no_way_ps; }},
      {"other_ps", [](const CostRow& row) { return row.cost.other_ps; }},
      {"detour_ps", [](const CostRow& row) { return row.cost.detour_ps; }}};
}

OrderedJson JobJson(const FailureStudy& study, const JobOfFailures& job) {
  std::vector<CostRow> rows;
  for (const JobCost& cost : job.costs) rows.push_back({study, cost});
  return {{"job", job.job},
          {"name", NullIfEmpty(job.name)},
          {"time_ps", NullIfNegative(job.span_ps)},
          {"has_critical_path", job.has_path},
          {"costs", PrintedList(CostColumns(), rows)}};
}

OrderedJson LastFlowJson(const FailureStudy& study) {
  const LastFlow& last = study.last_flow;
  if (last.name.empty()) return nullptr;
  const bool met = last.outage != FlowFate::kNoOutage;
  return {
      {"flow", last.name},
      {"end_ps", last.end_ps},
      {"what", met ? OrderedJson(study.outages[last.outage].outage.name) : OrderedJson(nullptr)},
      {"on_it", met && last.on_it},
      {"waited_ps", last.waited_ps}};
}

PrintedColumns<LateJob> LateJobColumns() {
  return {{"job", &LateJob::job},
          {"name", [](const LateJob& job) { return NullIfEmpty(job.name); }},
          {"time_ps", [](const LateJob& job) { return NullIfNegative(job.span_ps); }},
          {"against_ps", [](const LateJob& job) { return NullIfNegative(job.other_ps); }},
          {"difference_ps",
           [](const LateJob& job) { return NullUnless(job.ended_in_both(), job.late_ps()); }}};
}

OrderedJson LateJson(const LateOnes& late, bool known) {
  if (!known) return nullptr;
  return {{"compared", late.compared},     {"later", late.later},   {"earlier", late.earlier},
          {"unended", late.unended},       {"absent", late.absent}, {"most_ps", late.most_ps},
          {"most", NullIfEmpty(late.most)}};
}

OrderedJson DifferenceJson(const FailureDifference& difference) {
  return {{"result", difference.other},
          {"failed_too", difference.other_failed},
          {"jobs", PrintedList(LateJobColumns(), difference.jobs)},
          {"collectives", LateJson(difference.collectives, difference.has_collectives)},
          {"flows", LateJson(difference.flows, difference.has_flows)},
          {"last_end_ps", NullUnless(difference.has_flows, difference.last_end_ps)},
          {"against_last_end_ps", NullUnless(difference.has_flows, difference.other_last_end_ps)}};
}

}  // namespace

OrderedJson FailuresJson(const FailureStudy& study, std::size_t shown,
                         const std::optional<FailureDifference>& difference) {
  const bool known = study.unknown.empty();
  OrderedJson document = JsonDocument("analyze failures", kFailuresSchema);
  document["result"] = study.file;
  document["summary"] = WithoutEnd(FailedLine(study));
  document["end_ps"] = study.end_ps;
  document["convergence_ps"] = study.convergence_ps;
  document["events_after_end"] = study.after_end;
  document["unknown"] = NullIfEmpty(study.unknown);
  document["lost_packets"] = study.lost_packets;
  document["no_route_packets"] = study.no_route_packets;
  document["flows_started"] = study.flows_started;
  document["against"] = difference ? DifferenceJson(*difference) : OrderedJson(nullptr);
  document["jobs"] = OrderedJson::array();
  for (const JobOfFailures& job : study.jobs) document["jobs"].push_back(JobJson(study, job));
  document["last_flow"] = study.jobs.empty() ? LastFlowJson(study) : OrderedJson(nullptr);
  document["outages_count"] = study.outages.size();
  document["outages"] = OrderedJson::array();
  const std::vector<std::size_t> order = OutagesByHarm(study.outages);
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i)
    document["outages"].push_back(OutageJson(study.outages[order[i]], known));
  document["others"] = {{"flows", study.flows_of_others},
                        {"timeouts", study.others.timeouts},
                        {"nacks", study.others.nacks},
                        {"resent_bytes", study.others.resent_bytes}};
  return document;
}

}  // namespace heddle
