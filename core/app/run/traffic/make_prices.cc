// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/make_prices.h"

#include <string>
#include <utility>

#include "collectives/closed_form/closed_prices.h"
#include "core/base/check.h"
#include "transport/model/wire/packet.h"

namespace heddle {
namespace {

/// `who`: what asks for closed forms. Throws UserError.
void CheckRun(const RunInput& input, const std::string& who) {
  constexpr const char* kInstead = " Expected: --backend packet, or ";
  CheckClosedForms(who, *input.graph, input.collectives);
  if (input.jobs.empty())
    throw UserError(who + ": the run has flows and no collectives." + kInstead + "a workload (-w)");
  if (input.transport.controller.enabled)
    throw UserError(who + ": there is no path to reserve." + kInstead + "no central controller");
}

}  // namespace

void CheckClosedForms(const std::string& who, const Graph& graph,
                      const CollectiveOptions& options) {
  constexpr const char* kInstead = " Expected: --backend packet, or ";
  if (graph.scale_up() != nullptr)
    throw UserError(who + ": closed forms know no scale-up fabric." + kInstead +
                    "a fabric of Ethernet and NVLink");
  if (options.phased.on())
    throw UserError(who + ": closed forms know no collective in phases." + kInstead +
                    "phases.collectives=off");
}

WireFigures WireFiguresOf(const TransportOptions& transport) {
  return {transport.payload, kHeaderBytes,
          static_cast<std::uint32_t>(transport.split().queue_pairs),
          transport.completion == TransportOptions::Completion::kAcked, kAckBytes};
}

std::unique_ptr<CollectivePrices> MakePrices(BackendKind kind, const RunInput& input) {
  if (!NeedsPrices(kind, input.transport)) return nullptr;
  CheckRun(input, kind == BackendKind::kFlow ? "flow.detail=streams" : "--backend analytical");
  std::unique_ptr<Calibration> calibration;
  if (!input.calibration.empty()) calibration = std::make_unique<Calibration>(input.calibration);
  return std::make_unique<ClosedPrices>(*input.graph, input.collectives,
                                        WireFiguresOf(input.transport), std::move(calibration));
}

}  // namespace heddle
