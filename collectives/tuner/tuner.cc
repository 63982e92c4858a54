// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner.h"

#include "collectives/tuner/tuner_bandwidth.h"
#include "collectives/tuner/tuner_latency.h"
#include "core/base/check.h"

namespace heddle {

TunerPrediction Predict(const TunerQuestion& question, TunerAlgorithm algorithm,
                        Protocol protocol) {
  const auto& [operation, bytes, group] = question;
  HEDDLE_EXPECT(RowOf(algorithm).Does(operation) && group.ranks > 1);
  TunerPrediction prediction;
  prediction.latency = TunerLatency(operation, algorithm, protocol, group) *
                       TunerLatencyFactor(operation, algorithm, protocol, bytes, group);
  prediction.bandwidth = TunerBandwidth(operation, algorithm, protocol, bytes, group);
  prediction.time = prediction.latency + static_cast<double>(bytes) / (1000 * prediction.bandwidth);
  return prediction;
}

std::vector<TunerEntry> Tune(const TunerQuestion& question, const TunerRules& rules) {
  std::vector<TunerEntry> entries;
  for (const TunerAlgorithmRow& row : TunerAlgorithmRows()) {
    if (!row.Does(question.operation)) continue;
    const std::string why = WhyOff(question.operation, row.algorithm, question.group, rules);
    for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
      if (row.simple_only && protocol != Protocol::kSimple) continue;
      TunerEntry entry;
      entry.algorithm = row.algorithm;
      entry.protocol = protocol;
      entry.simulated =
          SimulatedAs(question.operation, row.algorithm, question.group.servers).has_value();
      entry.why_off = why.empty() ? WhyOff(row.algorithm, protocol, question.group, rules) : why;
      if (entry.why_off.empty()) entry.prediction = Predict(question, row.algorithm, protocol);
      entries.push_back(entry);
    }
  }
  return entries;
}

std::optional<std::size_t> ShortestOf(const std::vector<TunerEntry>& entries, bool simulated_only) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TunerEntry& entry = entries[i];
    if (!entry.why_off.empty() || (simulated_only && !entry.simulated)) continue;
    if (!best || entry.prediction.time < entries[*best].prediction.time) best = i;
  }
  return best;
}

}  // namespace heddle
