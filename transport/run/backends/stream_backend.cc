// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/stream_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "topology/graph/node_names.h"
#include "transport/run/backends/fluid_input.h"

namespace heddle {

StreamBackend::StreamBackend(const BackendInput& input)
    : AnalyticalBackend(input, DomainId(static_cast<std::uint32_t>(input.nodes.size()))),
      graph_(input.graph),
      fluids_(MakeFluidRun(input, &routes(), &post_office())),
      streams_run_{&fluids_,
                   input.prices,
                   nullptr,
                   &post_office(),
                   input.domain_of,
                   run().streams,
                   AnalyticalDomain::kReport} {
  HEDDLE_EXPECT(input.prices->loads() != nullptr);
  CheckFluidInput(input);
  if (!input.failures.empty())
    RefuseFluids("there are link failures, which streams do not know", "flow.detail=messages");
  if (input.here != RankId(0)) return;
  streams_ = std::make_unique<StreamDomain>(&streams_run_);
  post_office().Add(streams_.get());
}

void StreamBackend::Drive(FlowDriver* driver) {
  streams_run_.driver = driver;
  AnalyticalBackend::Drive(driver);
}

std::string StreamBackend::Describe() const {
  return "transport        flow: whole collectives as fluids (flow.detail=streams), max-min fair "
         "shares of the links on their paths; not modelled: messages, queues, congestion control, "
         "pauses\n";
}

std::uint32_t StreamBackend::domains() const {
  return AnalyticalBackend::domains() + (streams_ ? 1 : 0);
}

std::uint64_t StreamBackend::events() const {
  return AnalyticalBackend::events() + (streams_ ? streams_->events() : 0);
}

Time StreamBackend::now() const {
  const Time hosts = AnalyticalBackend::now();
  return streams_ ? std::max(hosts, streams_->now()) : hosts;
}

DomainBooks StreamBackend::Books() const {
  DomainBooks books;
  for (const PortRow& row : PortRows()) books.link_packets += row.sent_packets;
  return books;
}

DomainBooks StreamBackend::CheckConservation(const Communicator& world) {
  DomainBooks all;
  all.link_packets = world.Sum(Books().link_packets);
  return all;
}

std::vector<PortRow> StreamBackend::PortRows() const {
  std::vector<PortRow> rows;
  const std::uint32_t cables = streams_ ? streams_->plans().paths().links() : 0;
  for (std::uint32_t link = 0; link < cables; ++link) {
    const std::int64_t bytes = streams_->carried()[link];
    if (bytes == 0) continue;
    PortRow row;
    std::tie(row.node, row.port) = streams_->plans().paths().PortOf(link);
    row.sent_bytes = bytes;
    row.sent_packets = (bytes + fluids_.packet - 1) / fluids_.packet;
    rows.push_back(row);
  }
  return rows;
}

TotalTables StreamBackend::GatherTotals(const Communicator& world) const {
  TotalTables totals = AnalyticalBackend::GatherTotals(world);
  totals.ports = PortTable(PortRows());
  return totals;
}

std::string StreamBackend::NameOf(std::uint32_t link) const {
  const NodeNames names(graph_);
  const FluidPaths& paths = streams_->plans().paths();
  if (link >= paths.links()) return "NVLinks of " + names.Of(streams_->plans().GpuOf(link));
  const auto [node, port] = paths.PortOf(link);
  return names.Of(node) + " to " + names.Of(graph_.ports(node)[port.value].peer);
}

std::string StreamBackend::Summary() const {
  if (!streams_) return "";
  const FluidNetwork& network = streams_->network();
  const double parts = static_cast<double>(std::max<std::uint64_t>(network.solves(), 1));
  std::string text = fmt::format(
      "shares           {} times computed, for {:.1f} collectives each, at most {}\n",
      network.solves(), static_cast<double>(network.solved_flows()) / parts, network.largest());
  const std::vector<StreamDomain::Held>& held = streams_->held();
  std::vector<std::uint32_t> busy;
  for (std::uint32_t link = 0; link < held.size(); ++link) {
    if (held[link].streams > 0) busy.push_back(link);
  }
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(busy.size(), kShown);
  std::partial_sort(busy.begin(), busy.begin() + static_cast<std::ptrdiff_t>(shown), busy.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return held[a].time != held[b].time ? held[a].time > held[b].time : a < b;
                    });
  for (std::size_t i = 0; i < shown; ++i) {
    const StreamDomain::Held& link = held[busy[i]];
    text += fmt::format("          {}: {} collectives took {} longer in all\n", NameOf(busy[i]),
                        link.streams, ToText(link.time));
  }
  return text;
}

void StreamBackend::AddMemory(MemoryAccount* account) const {
  AnalyticalBackend::AddMemory(account);
  if (streams_) streams_->AddMemory(account);
}

void StreamBackend::SavePieces(PieceWriter* to) {
  AnalyticalBackend::SavePieces(to);
  if (!streams_) return;
  StateWriter state;
  streams_->Save(&state);
  to->Add(PieceKind::kDomain, streams_->id().value, state.bytes());
}

void StreamBackend::LoadPieces(CheckpointPieces* from) {
  if (streams_) {
    from->Load(PieceKind::kDomain, streams_->id().value, [&](StateReader* state) {
      streams_->Load(state);
      state->ExpectEnd();
    });
  }
  AnalyticalBackend::LoadPieces(from);
}

}  // namespace heddle
