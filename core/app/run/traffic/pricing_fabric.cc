// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/pricing_fabric.h"

#include <utility>

#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/setup/like.h"
#include "core/app/run/traffic/make_prices.h"

namespace heddle {

PricingFabric::PricingFabric(const std::string& path, const std::vector<std::string>& settings,
                             const std::string& like, const char* who) {
  options_.options.SetAll(settings);
  if (!like.empty()) options_.options.Set(kLikeKey, like, {"--like", 0});
  FabricInput fabric = ReadFabric(path, {});
  graph_ = std::move(fabric.graph);
  warnings_ = std::move(fabric.warnings);
  ApplyLike({options_.like,
             "",
             {},
             settings,
             graph_->nvswitch_count() > 0,
             false,
             MostNicPorts(*graph_),
             HasNvSwitchPlanes(*graph_)},
            &options_.options);
  if (options_.transport.nvlink.spray) JoinPlanesOf(&graph_);
  FitToHardware(HardwareOf(*graph_, fabric.infiniband), &options_.options, &options_.collectives);
  CheckClosedForms(who, *graph_, options_.collectives);
}

WireFigures PricingFabric::wire() const { return WireFiguresOf(options_.transport); }

}  // namespace heddle
