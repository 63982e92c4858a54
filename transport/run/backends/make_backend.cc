// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/make_backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"
#include "transport/run/backends/analytical_backend.h"
#include "transport/run/backends/flow_backend.h"
#include "transport/run/backends/packet_backend.h"
#include "transport/run/backends/physical_backend.h"
#include "transport/run/backends/stream_backend.h"

namespace heddle {
namespace {

bool AsStreams(const TransportOptions& transport) {
  return transport.flow_detail == TransportFields::FlowDetail::kStreams;
}

struct Entry {
  const char* name;
  std::unique_ptr<Backend> (*make)(const BackendInput& input);
  bool has_closed_forms = false;
};

/// Entries in the order of BackendKind. A new backend needs a value there and a row here.
constexpr Entry kBackends[] = {
    {"packet",
     [](const BackendInput& input) -> std::unique_ptr<Backend> {
       return std::make_unique<PacketBackend>(input);
     }},
    {"analytical",
     [](const BackendInput& input) -> std::unique_ptr<Backend> {
       return std::make_unique<AnalyticalBackend>(input);
     },
     /*has_closed_forms=*/true},
    {"physical",
     [](const BackendInput& input) -> std::unique_ptr<Backend> {
       return std::make_unique<PhysicalBackend>(input);
     }},
    {"flow",
     [](const BackendInput& input) -> std::unique_ptr<Backend> {
       if (AsStreams(input.transport)) return std::make_unique<StreamBackend>(input);
       return std::make_unique<FlowBackend>(input);
     }},
};

}  // namespace

const std::vector<std::string>& BackendNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kBackends) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

bool TakesCalibration(BackendKind kind) {
  return kBackends[static_cast<std::size_t>(kind)].has_closed_forms;
}

bool NeedsPrices(BackendKind kind, const TransportOptions& transport) {
  return TakesCalibration(kind) || (kind == BackendKind::kFlow && AsStreams(transport));
}

BackendKind ParseBackendKind(const std::string& name) {
  const std::vector<std::string>& known = BackendNames();
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    throw UsageError(fmt::format("--backend: found '{}'. Expected: {}", Printable(name),
                                 fmt::join(known, ", ")));
  }
  return static_cast<BackendKind>(found - known.begin());
}

std::unique_ptr<Backend> MakeBackend(BackendKind kind, const BackendInput& input) {
  return kBackends[static_cast<std::size_t>(kind)].make(input);
}

}  // namespace heddle
