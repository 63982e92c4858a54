// SPDX-License-Identifier: GPL-2.0-only
/// The available backends, by name (--backend).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/run/backends/backend.h"
#include "transport/run/backends/backend_input.h"

namespace heddle {

enum class BackendKind {
  kPacket,      ///< every packet at every port (the default)
  kAnalytical,  ///< whole collectives by closed forms
  kPhysical,    ///< real messages between ranks
  kFlow,        ///< messages as fluids
};
/// Returns all names in the order of BackendKind, as --help and completion list them.
const std::vector<std::string>& BackendNames();
/// Whether all times of a kind are closed forms, so that measured ones may replace them.
bool TakesCalibration(BackendKind kind);
/// Whether a kind takes whole collectives and needs their closed forms (BackendInput::prices).
bool NeedsPrices(BackendKind kind, const TransportOptions& transport);
/// Returns the kind of a name. Throws UsageError that names --backend and the available backends.
BackendKind ParseBackendKind(const std::string& name);

/// Makes a backend. Throws UserError if the model cannot do what the input asks.
std::unique_ptr<Backend> MakeBackend(BackendKind kind, const BackendInput& input);

}  // namespace heddle
