// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/traffic/make_prices.h"

#include <string>

#include "collectives/closed_form/closed_prices.h"
#include "core/base/check.h"
#include "transport/wire/packet.h"

namespace heddle {
namespace {

/// Throws UserError.
void CheckClosedForms(const RunInput& input) {
  constexpr const char* kInstead = " Expected: --backend packet, or ";
  if (input.graph->scale_up() != nullptr)
    throw UserError(std::string("--backend analytical: closed forms know no scale-up fabric.") +
                    kInstead + "a fabric of Ethernet and NVLink");
  if (input.jobs.empty())
    throw UserError(std::string("--backend analytical: the run has flows and no collectives.") +
                    kInstead + "a workload (-w)");
  if (input.collectives.phased.on())
    throw UserError(
        std::string("--backend analytical: closed forms know no collective in phases.") + kInstead +
        "phases.collectives=off");
  if (input.transport.controller.enabled)
    throw UserError(std::string("--backend analytical: there is no path to reserve.") + kInstead +
                    "no central controller");
}

}  // namespace

std::unique_ptr<CollectivePrices> MakePrices(BackendKind kind, const RunInput& input) {
  if (!NeedsPrices(kind)) return nullptr;
  CheckClosedForms(input);
  const auto queue_pairs = static_cast<std::uint32_t>(input.transport.split().queue_pairs);
  return std::make_unique<ClosedPrices>(
      *input.graph, input.collectives,
      WireFigures{input.transport.payload, kHeaderBytes, queue_pairs});
}

}  // namespace heddle
