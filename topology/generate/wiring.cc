// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/wiring.h"

namespace heddle {

WiringBuilder::WiringBuilder(const TemplateOptions& options, std::uint32_t asws)
    : gpus_per_server_(options.gpus_per_server),
      nvswitches_per_server_(options.nvswitches_per_server) {
  wiring_.gpus = options.gpus;
  wiring_.nvswitches = options.gpus / gpus_per_server_ * nvswitches_per_server_;
  wiring_.asws = asws;
  wiring_.psws = options.psw_switches;
}

void WiringBuilder::AddNvLinks(std::uint32_t gpu) {
  const std::uint32_t first = wiring_.gpus + gpu / gpus_per_server_ * nvswitches_per_server_;
  for (std::uint32_t j = 0; j < nvswitches_per_server_; ++j) {
    wiring_.cables.push_back({gpu, first + j, CableKind::kNvLink});
  }
}

void WiringBuilder::AddNic(std::uint32_t gpu, std::uint32_t asw) {
  wiring_.cables.push_back({gpu, asw_id(asw), CableKind::kNic});
}

void WiringBuilder::AddMesh(std::uint32_t first_asw, std::uint32_t end_asw, std::uint32_t first_psw,
                            std::uint32_t end_psw) {
  for (std::uint32_t asw = first_asw; asw < end_asw; ++asw) {
    for (std::uint32_t psw = first_psw; psw < end_psw; ++psw) {
      wiring_.cables.push_back({asw_id(asw), asw_id(wiring_.asws + psw), CableKind::kFabric});
    }
  }
}

}  // namespace heddle
