// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/fluid_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "topology/routes/nic_ports.h"
#include "transport/model/wire/packet.h"

namespace heddle {
namespace {

/// Throws UserError for links and switches that fluids do not know.
void CheckFabric(const BackendInput& input) {
  const Graph& graph = input.graph;
  if (graph.scale_up() != nullptr)
    RefuseFluids("there are scale-up links (nvlink.layer, or a scale-up fabric)", "none");
  if (graph.switches_add())
    RefuseFluids("switches add (aggregation.switches)", "aggregation.switches=false");
  const auto& links = graph.links();
  const bool loses =
      std::any_of(links.begin(), links.end(), [](const Link& link) { return link.error_rate > 0; });
  if (loses || input.transport.reliability.error_rate > 0)
    RefuseFluids("links lose packets (link.error_rate, or in the topology)",
                 "links that lose none");
}

/// Throws UserError for options that have a meaning for packets only.
void CheckOptions(const TransportOptions& options) {
  if (options.protocol != TransportFields::Protocol::kRoce)
    RefuseFluids(
        fmt::format("the transport is not RoCE (transport.protocol={})", ToText(options.protocol)),
        "roce");
  if (options.controller.enabled)
    RefuseFluids("there is a central controller (controller.enable)", "controller.enable=false");
  if (options.divides())
    RefuseFluids("messages are divided into requests (requests.scheduler)", "no scheduler");
  if (options.monitors.any()) RefuseFluids("a monitor samples packets and queues", "no monitor");
  if (options.lose_packet > 0) RefuseFluids("a packet is to be lost (debug.lose_packet)", "0");
}

void SetControl(const TransportOptions& options, std::uint64_t seed, FluidRun* run) {
  FluidControl::Options control;
  control.dcqcn = options.congestion.Of<Dcqcn>();
  control.rates = options.congestion.rates;
  // Cuts fall on every second tick. Shorter ones find no more queues than there are round trips.
  constexpr Time kLeastTick = MicroSeconds(1);
  control.tick = std::max(Time{control.dcqcn.decrease_interval.ps / 2}, kLeastTick);
  control.scales_window = options.var_window;
  control.packet = run->packet;
  control.seed = seed;
  run->control = control;
  run->ecn.emplace(options.ecn);
}

}  // namespace

void RefuseFluids(const std::string& what, const std::string& instead) {
  throw UserError("--backend flow: " + what + ". Expected: --backend packet, or " + instead);
}

void CheckFluidInput(const BackendInput& input) {
  CheckFabric(input);
  CheckOptions(input.transport);
}

bool FluidsHaveMarks(const TransportOptions& options) {
  return options.flow_congestion == TransportFields::FlowCongestion::kMarks &&
         options.congestion.mode == Dcqcn::kMode && options.ecn.enabled;
}

FluidRun MakeFluidRun(const BackendInput& input, const Routes* routes, PostOffice* post_office) {
  const TransportOptions& options = input.transport;
  const CongestionControl control(options.congestion);
  FluidRun run;
  run.graph = &input.graph;
  run.routes = routes;
  run.post_office = post_office;
  run.domain_of = input.domain_of;
  run.fluids = DomainId(static_cast<std::uint32_t>(input.nodes.size()));
  run.split = options.split();
  run.payload = options.payload;
  const std::int64_t header = kHeaderBytes + control.header_bytes();
  run.trains = PacketTrains(input.graph, options.payload, header, options.train_packets());
  run.packet = options.payload + header;
  run.ack = control.ack_bytes();
  const std::int64_t interval = options.reliability.ack_interval;
  run.per_ack = std::max<std::int64_t>((interval + options.payload - 1) / options.payload, 1);
  run.seed = input.seed;
  run.draws_ports = options.nic.draws_ports();
  run.acked = options.completion == TransportFields::Completion::kAcked;
  run.has_window = options.has_window;
  run.pair_window = options.pair_window;
  run.truncate_ns = options.truncate_ns;
  run.sprays = options.roce_entropy().scheme != EntropyOptions::Scheme::kFlow;
  run.balance = options.balance;
  if (FluidsHaveMarks(options)) SetControl(options, input.seed, &run);
  PlanInstants(input.failures, options.convergence, &run);
  return run;
}

}  // namespace heddle
