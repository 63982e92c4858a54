// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_step.h"

#include "core/base/check.h"

namespace heddle {
namespace {

/// Ranks of each kind of group, as the report counts them.
struct GroupRanks {
  int tensor, expert, data;
};

/// As int wraps there.
int Product(int a, int b) { return static_cast<int>(std::int64_t{a} * b); }

GroupRanks CountRanks(const RawWorkload& workload, int gpus) {
  const int stage = Product(workload.tensor, workload.pipeline);
  HEDDLE_EXPECT(stage != 0);
  return {workload.tensor, workload.expert, gpus / stage};
}

int ForwardRanks(const RawPhase& phase, const GroupRanks& ranks) {
  return phase.group == GroupType::kExpert ? ranks.expert : ranks.tensor;
}

int WeightRanks(const RawPhase& phase, const GroupRanks& ranks) {
  if (phase.group != GroupType::kDataExpert) return ranks.data;
  if (ranks.expert == 0)
    throw UserError(
        "a collective of DP_EP, and no ep: in the header; SimAI crashes there (SIGFPE). Expected: "
        "ep: in the header");
  return ranks.data / ranks.expert;
}

/// Sets the two bandwidths. A time of 0 makes them infinite, or no number.
void SetBandwidths(const SimaiCollective& collective, SimaiPhase* phase) {
  const double algorithm = static_cast<double>(collective.bytes) /
                           MicrosecondsOf(phase->communication) * 1000000 / 1073741824.0;
  phase->algorithm_bandwidth = static_cast<float>(algorithm);
  if (collective.operation == Operation::kNone) return;
  float bus = phase->algorithm_bandwidth;
  if (collective.operation == Operation::kAllReduce) bus *= 2;
  bus *= static_cast<float>(collective.ranks - 1);
  phase->bus_bandwidth =
      static_cast<float>(static_cast<double>(bus) / static_cast<double>(collective.ranks));
}

SimaiPhase PricePhase(const RawPhase& phase, int ranks, float overlap, const SimaiPrice& price) {
  const SimaiCollective collective{phase.operation, phase.group, phase.bytes, ranks};
  SimaiPhase priced;
  priced.compute = phase.compute_ns;
  priced.communication = price(collective);
  priced.exposed = ScaledTicks(priced.communication, 1 - overlap);
  SetBandwidths(collective, &priced);
  return priced;
}

SimaiRow PriceRow(const RawLayer& layer, const GroupRanks& ranks, const SimaiStepInput& input) {
  const SimaiOverlaps& overlaps = input.overlaps;
  const float overlap =
      layer.forward.group == GroupType::kExpert ? overlaps.expert : overlaps.tensor;
  SimaiRow row;
  row.forward = PricePhase(layer.forward, ForwardRanks(layer.forward, ranks), overlap, input.price);
  row.forward.compute *= static_cast<SimaiTicks>(layer.forward_runs);
  row.weight_gradient = PricePhase(layer.weight_gradient, WeightRanks(layer.weight_gradient, ranks),
                                   overlaps.data, input.price);
  row.input_gradient = PricePhase(layer.input_gradient, ForwardRanks(layer.input_gradient, ranks),
                                  overlap, input.price);
  return row;
}

void AddRow(const RawLayer& layer, const SimaiRow& row, SimaiStep* step) {
  const SimaiPhase& forward = row.forward;
  const SimaiPhase& weight = row.weight_gradient;
  const SimaiPhase& gradient = row.input_gradient;
  if (layer.name != "embedding_layer")
    step->bubble += MicrosecondsOf(forward.communication + forward.compute + weight.compute +
                                   gradient.compute + gradient.communication);
  const bool data_expert = layer.weight_gradient.group == GroupType::kDataExpert;
  (data_expert ? step->data_expert : step->data) += MicrosecondsOf(weight.exposed);
  const bool expert = layer.forward.group == GroupType::kExpert;
  (expert ? step->expert : step->tensor) += MicrosecondsOf(forward.exposed + gradient.exposed);
  step->compute += MicrosecondsOf(forward.compute);
  step->compute += MicrosecondsOf(weight.compute);
  step->compute += MicrosecondsOf(gradient.compute);
  step->exposed += MicrosecondsOf(forward.exposed);
  step->exposed += MicrosecondsOf(weight.exposed);
  step->exposed += MicrosecondsOf(gradient.exposed);
}

/// 2 V A messages of pp_comm, of which the overlap hides a part.
double PipelineMicroseconds(const RawWorkload& workload, const SimaiStepInput& input) {
  const int messages =
      Product(2, Product(workload.virtual_pipeline, workload.gradient_accumulation));
  const double each = static_cast<double>(workload.pipeline_bytes) / 1073741824.0 /
                      static_cast<double>(input.pipeline_bandwidth) * 1e9;
  const SimaiTicks time = TicksOf(messages * each / 1000.0);
  // Already microseconds, in whole numbers.
  return static_cast<double>(ScaledTicks(time, 1 - input.overlaps.pipeline));
}

}  // namespace

SimaiStep AddUpSimaiStep(const RawWorkload& workload, const SimaiStepInput& input,
                         const std::string& file) {
  const GroupRanks ranks = CountRanks(workload, input.gpus);
  SimaiStep step;
  step.rows.reserve(workload.layers.size());
  for (const RawLayer& layer : workload.layers) {
    try {
      step.rows.push_back(PriceRow(layer, ranks, input));
    } catch (const UserError& error) {
      throw UserError(ToText(SourceLine{file, layer.line}) + ": " + error.what());
    }
    AddRow(layer, step.rows.back(), &step);
  }
  step.pipeline = PipelineMicroseconds(workload, input);
  step.bubble *= static_cast<double>(workload.pipeline - 1) /
                 Product(workload.gradient_accumulation, workload.virtual_pipeline);
  step.total = step.compute + step.exposed + step.bubble + step.pipeline;
  return step;
}

}  // namespace heddle
