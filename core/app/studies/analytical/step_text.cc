// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/pipeline/make_table.h"
#include "collectives/schedule/collective_spec.h"

namespace heddle {
namespace {

constexpr int kAnalyticalSchema = 1;
constexpr std::size_t kMostKinds = 30;
constexpr GroupType kGroups[] = {GroupType::kTensor,     GroupType::kExpert, GroupType::kData,
                                 GroupType::kDataExpert, GroupType::kAll,    GroupType::kPipeline};

double ExposedOf(const PredictedStep& step, GroupType group) {
  return step.exposed[static_cast<std::size_t>(group)];
}

std::string PartLine(const std::string& name, double seconds, double total) {
  return fmt::format("  {:<15} {:>14.3f} ms {:>6.2f} %\n", name, seconds * 1e3,
                     total > 0 ? seconds / total * 100 : 0);
}

std::string Parts(const StepStudy& study) {
  const PredictedStep& step = study.step;
  std::string text = fmt::format("step time         {:>14.3f} ms\n", step.total * 1e3);
  text += PartLine("computing", step.computing, step.total);
  for (const GroupType group : kGroups) {
    const double before = step.communication[static_cast<std::size_t>(group)];
    if (before <= 0) continue;
    std::string line =
        PartLine(std::string("exposed ") + ToText(group), ExposedOf(step, group), step.total);
    line.insert(line.size() - 1, fmt::format(" of {:.3f} ms", before * 1e3));
    text += line;
  }
  return text + PartLine("bubble", step.bubble, step.total);
}

/// The schedule of the stages; empty: there is one.
std::string ScheduleName(const StepStudy& study) {
  if (study.groups.pipeline() == 1) return {};
  if (study.schedule) return DescribeSchedule(*study.schedule, study.groups.pipeline());
  return fmt::format("interleaved, {} chunk{} (vpp), by formula", study.workload.virtual_pipeline,
                     study.workload.virtual_pipeline == 1 ? "" : "s");
}

std::string About(const StepStudy& study) {
  const ParallelGroups& groups = study.groups;
  std::string text = fmt::format(
      "job               {} GPUs: TP {}, EP {}, DP {}, PP {}\n"
      "bandwidths        {}NVLinks {:.2f}, network {:.2f} GB/s for each GPU; a GB is {} bytes\n",
      groups.ranks(), groups.tensor(), groups.expert(), groups.data(), groups.pipeline(),
      study.fabric == nullptr ? "" : "of the fabric's links: ", study.rates.nvlink / study.unit,
      study.rates.network / study.unit, study.unit > 1e9 ? "2^30" : "10^9");
  if (const std::string name = ScheduleName(study); !name.empty())
    text += fmt::format("schedule          {}\n", name);
  if (study.calibration == nullptr) return text;
  return text + "calibrated        " + study.calibration->Describe() + "; others as without\n";
}

/// Collectives of one group, operation and size.
struct Kind {
  Operation operation = Operation::kNone;
  GroupType group = GroupType::kTensor;
  std::int64_t bytes = 0;
  std::uint64_t count = 0;
  CollectivePrice price;
  double all() const { return static_cast<double>(count) * price.seconds; }
};

std::vector<Kind> KindsOf(const StepStudy& study) {
  std::map<std::tuple<GroupType, Operation, std::int64_t>, Kind> kinds;
  const auto add = [&](const LayerPhase& phase, const PhaseTime& time) {
    if (time.price.seconds <= 0) return;
    Kind& kind = kinds[{phase.group, phase.operation, phase.bytes}];
    kind = {phase.operation, phase.group, phase.bytes, kind.count + 1, time.price};
  };
  for (std::size_t i = 0; i < study.step.rows.size(); ++i) {
    const Layer& layer = study.workload.layers[i];
    const RowTime& row = study.step.rows[i];
    add(layer.forward, row.forward);
    add(layer.input_gradient, row.input_gradient);
    add(layer.weight_gradient, row.weight_gradient);
  }
  std::vector<Kind> sorted;
  for (const auto& [key, kind] : kinds) sorted.push_back(kind);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Kind& a, const Kind& b) { return a.all() > b.all(); });
  return sorted;
}

/// A kind of collective of a step.
struct KindRow {
  const StepStudy& study;
  const Kind& kind;
};

/// A name, to the left and after a blank.
template <class Get>
auto Word(Get get) {
  return [get](const KindRow& row) { return " " + std::string(ToText(get(row))); };
}

PrintedColumns<KindRow> KindColumns() {
  const auto group = [](const KindRow& row) { return row.kind.group; };
  const auto operation = [](const KindRow& row) { return row.kind.operation; };
  const auto algorithm = [](const KindRow& row) { return row.kind.price.algorithm; };
  const auto protocol = [](const KindRow& row) { return row.kind.price.protocol; };
  const auto bottleneck = [](const KindRow& row) { return row.kind.price.bottleneck; };
  const auto name = [](auto get) {
    return [get](const KindRow& row) { return OrderedJson(ToText(get(row))); };
  };
  return {
      {"group", name(group), "  group", -7,
       [](const KindRow& row) { return std::string("  ") + ToText(row.kind.group); }},
      {"operation", name(operation), " operation", -14, Word(operation)},
      {"size_bytes", [](const KindRow& row) { return row.kind.bytes; }, "bytes", 15},
      {"number", [](const KindRow& row) { return row.kind.count; }, "count", 7},
      {"ranks", [](const KindRow& row) { return row.study.groups.size(row.kind.group); }, "ranks",
       8},
      {"algorithm", name(algorithm), " algorithm", -10, Word(algorithm)},
      {"protocol", name(protocol), " proto", -7, Word(protocol)},
      {"bound", name(bottleneck), " bound", -7, Word(bottleneck)},
      {"time_us", [](const KindRow& row) { return row.kind.price.seconds * 1e6; }, "us each", 15,
       [](const KindRow& row) { return fmt::format("{:.3f}", row.kind.price.seconds * 1e6); }},
      {"busbw_gbyte_per_s", [](const KindRow& row) { return row.kind.price.bus_bandwidth * 1e-9; },
       "bus GB/s", 10,
       [](const KindRow& row) {
         return fmt::format("{:.2f}", row.kind.price.bus_bandwidth / row.study.unit);
       }}};
}

std::string Kinds(const StepStudy& study) {
  const std::vector<Kind> kinds = KindsOf(study);
  if (kinds.empty()) return "";
  const PrintedColumns<KindRow> columns = KindColumns();
  std::string text = "collectives, of which most time is spent first\n" + PrintedHead(columns);
  for (std::size_t i = 0; i < std::min(kinds.size(), kMostKinds); ++i)
    text += PrintedLine(columns, KindRow{study, kinds[i]});
  if (kinds.size() > kMostKinds)
    text += fmt::format("  and {} kinds more (-r writes all rows)\n", kinds.size() - kMostKinds);
  return text;
}

/// Parts of the step: computing, what is exposed by group, bubble.
OrderedJson PartsJson(const PredictedStep& step) {
  OrderedJson parts = OrderedJson::array();
  const auto add = [&](const std::string& name, double seconds, OrderedJson before) {
    parts.push_back({{"part", name},
                     {"time_us", seconds * 1e6},
                     {"before_overlap_us", std::move(before)},
                     {"share", step.total > 0 ? seconds / step.total : 0}});
  };
  add("computing", step.computing, nullptr);
  for (const GroupType group : kGroups) {
    const double before = step.communication[static_cast<std::size_t>(group)];
    if (before > 0)
      add(std::string("exposed ") + ToText(group), ExposedOf(step, group), before * 1e6);
  }
  add("bubble", step.bubble, nullptr);
  return parts;
}

double MicrosecondsOf(double seconds) { return seconds * 1e6; }

std::string PhaseBandwidths(const LayerPhase& phase, const PhaseTime& time, std::uint32_t ranks,
                            double unit) {
  const CollectivePrice& price = time.price;
  const double bus = price.bus_bandwidth / unit;
  const double algorithm = price.seconds > 0 ? bus / BusFactor(phase.operation, ranks) : 0;
  return fmt::format(",{:.3f},{:.2f},{:.2f}", MicrosecondsOf(price.seconds), algorithm, bus);
}

std::string PhaseWords(const PhaseTime& time) {
  if (time.price.seconds <= 0) return ",NONE,NONE,-";
  return fmt::format(",{},{},{}", ToText(time.price.algorithm), ToText(time.price.protocol),
                     ToText(time.price.bottleneck));
}

std::string CsvRow(const Layer& layer, const RowTime& row, const StepStudy& study) {
  const std::pair<const LayerPhase*, const PhaseTime*> phases[] = {
      {&layer.forward, &row.forward},
      {&layer.weight_gradient, &row.weight_gradient},
      {&layer.input_gradient, &row.input_gradient}};
  std::string text = layer.name + ",analytical";
  for (const auto& [phase, time] : phases)
    text += fmt::format(",{:.3f}", MicrosecondsOf(time->computing));
  for (const auto& [phase, time] : phases)
    text += fmt::format(",{:.3f}", MicrosecondsOf(time->exposed));
  for (const auto& [phase, time] : phases)
    text += PhaseBandwidths(*phase, *time, study.groups.size(phase->group), study.unit);
  for (const auto& [phase, time] : phases) text += PhaseWords(*time);
  return text + "\n";
}

std::string CsvSummary(const std::string& name, const SimaiStep& sums) {
  std::string text =
      "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
      "Expose_PP_comm, bubble time, total comp, total exposed comm, Total time\n" +
      name;
  for (const double part : {sums.data, sums.data_expert, sums.tensor, sums.expert, sums.pipeline,
                            sums.bubble, sums.compute, sums.exposed})
    text += fmt::format(", {:.3f} ({:.2f}%)", part, sums.total > 0 ? part / sums.total * 100 : 0);
  return text + fmt::format(", {:.3f}\n", sums.total);
}

}  // namespace

std::string StepText(const StepStudy& study) { return Parts(study) + About(study) + Kinds(study); }

OrderedJson StepJson(const StepStudy& study, const std::string& result) {
  const ParallelGroups& groups = study.groups;
  const std::vector<Kind> kinds = KindsOf(study);
  std::vector<KindRow> rows;
  for (const Kind& kind : kinds) rows.push_back({study, kind});
  OrderedJson document = JsonDocument("analytical", kAnalyticalSchema);
  document["step_us"] = study.step.total * 1e6;
  document["parts"] = PartsJson(study.step);
  document["job"] = {{"gpus", groups.ranks()},  {"tp", groups.tensor()},
                     {"ep", groups.expert()},   {"dp", groups.data()},
                     {"pp", groups.pipeline()}, {"schedule", NullIfEmpty(ScheduleName(study))}};
  document["of_a_fabric"] = study.fabric != nullptr;
  document["nvlink_gbyte_per_s"] = study.rates.nvlink * 1e-9;
  document["network_gbyte_per_s"] = study.rates.network * 1e-9;
  document["calibrated"] = study.calibration == nullptr
                               ? OrderedJson(nullptr)
                               : OrderedJson(study.calibration->Describe());
  document["collectives"] = PrintedList(KindColumns(), rows);
  document["result"] = NullIfEmpty(result);
  return document;
}

SimaiStep SumsOf(const PredictedStep& step) {
  SimaiStep sums;
  sums.data = MicrosecondsOf(ExposedOf(step, GroupType::kData) + ExposedOf(step, GroupType::kAll));
  sums.data_expert = MicrosecondsOf(ExposedOf(step, GroupType::kDataExpert));
  sums.tensor = MicrosecondsOf(ExposedOf(step, GroupType::kTensor));
  sums.expert = MicrosecondsOf(ExposedOf(step, GroupType::kExpert));
  sums.pipeline = MicrosecondsOf(ExposedOf(step, GroupType::kPipeline));
  sums.bubble = MicrosecondsOf(step.bubble);
  sums.compute = MicrosecondsOf(step.computing);
  sums.exposed = sums.data + sums.data_expert + sums.tensor + sums.expert;
  sums.total = MicrosecondsOf(step.total);
  return sums;
}

std::string StepCsv(const std::string& name, const StepStudy& study) {
  std::string text = CsvSummary(name, SumsOf(study.step));
  text +=
      "layer_name,analytical,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,"
      "ig exposed comm,fwd total comm,algbw,busbw,wg total comm,algbw,busbw,ig total comm,algbw,"
      "busbw,fwd algorithm,fwd protocol,fwd bottleneck,wg algorithm,wg protocol,wg bottleneck,"
      "ig algorithm,ig protocol,ig bottleneck\n";
  for (std::size_t i = 0; i < study.step.rows.size(); ++i)
    text += CsvRow(study.workload.layers[i], study.step.rows[i], study);
  return text;
}

}  // namespace heddle
