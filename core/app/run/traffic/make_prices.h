// SPDX-License-Identifier: GPL-2.0-only
/// Makes the prices by which a backend without packets carries collectives.
#pragma once

#include <memory>
#include <string>

#include "collectives/closed_form/wire_figures.h"
#include "core/app/run/setup/run_input.h"
#include "core/traffic/collective_prices.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {

/// Returns what closed forms know of the packets of these options.
WireFigures WireFiguresOf(const TransportOptions& transport);

/// Throws UserError for a fabric or collectives that no closed form knows. `who` begins the
/// message.
void CheckClosedForms(const std::string& who, const Graph& graph, const CollectiveOptions& options);

/// Closed forms for the packets and collectives of these options; null if a backend of this kind
/// needs none. Values of --calibration replace theirs. `input` must outlive them. Throws UserError
/// for options that no closed form knows.
std::unique_ptr<CollectivePrices> MakePrices(BackendKind kind, const RunInput& input);

}  // namespace heddle
