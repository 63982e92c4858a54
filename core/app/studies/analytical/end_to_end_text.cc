// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/end_to_end_text.h"

#include <cmath>
#include <cstdio>

namespace heddle {
namespace {

constexpr const char* kRunName = "Analytical_test";

/// As printf prints it, which rounds the exact number; what is no number has the sign that x86-64
/// gives it.
std::string Decimals(double value, int decimals) {
  if (std::isnan(value)) return "-nan";
  char text[400];
  const int length = std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return {text, static_cast<std::size_t>(length)};
}

std::string Microseconds(double microseconds) {
  return std::isfinite(microseconds) ? Decimals(microseconds, 0) : "NaN or Inf";
}

std::string WithShare(double microseconds, double total) {
  return Microseconds(microseconds) + " (" + Decimals(microseconds / total * 100, 2) + "%), ";
}

std::string PhaseTotals(const SimaiPhase& phase) {
  return "," + Microseconds(MicrosecondsOf(phase.communication)) + "," +
         Decimals(static_cast<double>(phase.algorithm_bandwidth), 2) + "," +
         Decimals(static_cast<double>(phase.bus_bandwidth), 2);
}

std::string RowText(const std::string& name, const SimaiRow& row) {
  // Weights before inputs, as in SimAI.
  const SimaiPhase* const phases[] = {&row.forward, &row.weight_gradient, &row.input_gradient};
  std::string text = name + "," + kRunName;
  for (const SimaiPhase* phase : phases) text += "," + Microseconds(MicrosecondsOf(phase->compute));
  for (const SimaiPhase* phase : phases) text += "," + Microseconds(MicrosecondsOf(phase->exposed));
  for (const SimaiPhase* phase : phases) text += PhaseTotals(*phase);
  return text + "\n";
}

}  // namespace

std::string EndToEndSummary(const std::string& name, const SimaiStep& step) {
  std::string text =
      "File name, Expose DP comm, Expose DP_EP comm, Expose TP comm, Expose_EP_comm, "
      "Expose_PP_comm, bubble time, total comp, total exposed comm, Total time\n";
  text += name + ", ";
  for (const double part : {step.data, step.data_expert, step.tensor, step.expert, step.pipeline,
                            step.bubble, step.compute, step.exposed})
    text += WithShare(part, step.total);
  return text + Microseconds(step.total) + "\n";
}

std::string EndToEndText(const std::string& name, const RawWorkload& workload,
                         const SimaiStep& step) {
  std::string text = EndToEndSummary(name, step);
  text += std::string("layer_name,") + kRunName +
          ",fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,ig exposed comm,"
          "fwd total comm,algbw,busbw,wg total comm,algbw,busbw,ig total comm,algbw,busbw\n";
  for (std::size_t i = 0; i < workload.layers.size(); ++i)
    text += RowText(workload.layers[i].name, step.rows[i]);
  return text;
}

}  // namespace heddle
