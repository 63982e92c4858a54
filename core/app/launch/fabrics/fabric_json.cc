// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_json.h"

#include "io/step/step_verdict.h"

namespace heddle {
namespace {

constexpr int kFabricsSchema = 1;

PrintedColumns<FabricParts> PartColumns() {
  return {{"gpus", &FabricParts::gpus},
          {"gpu_ports", &FabricParts::gpu_ports},
          {"gpu_rate_bps", &FabricParts::gpu_rate},
          {"oversubscription",
           [](const FabricParts& parts) {
             return NullUnless(parts.oversubscription > 0, parts.oversubscription);
           }},
          {"switches", &FabricParts::switches},
          {"leaves", &FabricParts::leaves},
          {"switch_ports", &FabricParts::switch_ports},
          {"gpu_cables", &FabricParts::gpu_cables},
          {"switch_cables", &FabricParts::cables},
          {"transceivers", &FabricParts::transceivers}};
}

PrintedColumns<StepShare> ShareColumns() {
  return {{"part", &StepShare::name},
          {"group", [](const StepShare& share) { return NullIfEmpty(share.group); }},
          {"time_ps", &StepShare::ps}};
}

OrderedJson TierJson(const TierUse& tier) {
  if (tier.name.empty()) return nullptr;
  return {{"tier", tier.name}, {"mean_share", tier.mean}, {"most_share", tier.highest}};
}

OrderedJson FabricJson(const FabricResult& one, bool best) {
  const FabricFigures& figures = one.figures;
  return {{"fabric", one.fabric.name},
          {"topology", one.fabric.file},
          {"result", one.result},
          {"best", best},
          {"step_ps", figures.step_ps},
          {"step_shares", PrintedList(ShareColumns(), figures.shares)},
          {"critical_path", CriticalPathLine(figures.why)},
          {"collectives", PrintedList(KindColumns(), figures.collectives)},
          {"hottest_tier", TierJson(figures.hottest)},
          {"bytes_above_leaves", figures.above_leaves},
          {"parts", PrintedObject(PartColumns(), one.fabric.parts)}};
}

}  // namespace

OrderedJson FabricsJson(const std::vector<FabricResult>& results,
                        const std::vector<std::string>& notes, const std::string& page) {
  OrderedJson document = JsonDocument("compare-fabrics", kFabricsSchema);
  document["best"] = results[BestOf(results)].fabric.name;
  document["fabrics"] = OrderedJson::array();
  for (const FabricResult& one : results)
    document["fabrics"].push_back(FabricJson(one, &one == &results[BestOf(results)]));
  document["verdicts"] = Verdicts(results);
  document["notes"] = notes;
  document["page"] = page;
  return document;
}

}  // namespace heddle
