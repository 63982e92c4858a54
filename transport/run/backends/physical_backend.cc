// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/physical_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "transport/run/fabric/gathered_records.h"
#include "transport/run/fabric/record_tables.h"
#include "transport/run/physical/physical_run.h"

namespace heddle {
namespace {

/// Returns how MPI is to move messages, as the environment sets it.
std::string ChosenTransport() {
  std::string text;
  for (const char* name :
       {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "UCX_TLS", "UCX_NET_DEVICES"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text.empty() ? "MPI's choice" : text;
}

}  // namespace

PhysicalBackend::PhysicalBackend(const BackendInput& input)
    : options_(input.physical),
      routes_(input.graph),
      here_(input.here),
      ranks_(input.ranks),
      nodes_(input.nodes[input.here.value]) {
  HEDDLE_EXPECT(input.nodes.size() == input.ranks);
  rank_of_.reserve(input.domain_of.size());
  for (const DomainId domain : input.domain_of) rank_of_.push_back(input.rank_of[domain.value]);
}

void PhysicalBackend::Drive(FlowDriver* driver) {
  driver_ = driver;
  origins_ = driver->origins();
  contents_ = driver->contents();
  agent_ = driver->AgentOf(DomainId(here_.value), nodes_);
  if (agent_ != nullptr) agent_->Begin(&queue_);
}

std::string PhysicalBackend::Describe() const {
  return fmt::format(
      "transport        real messages between ranks, which play the GPUs; {}; computing: {}\n",
      MpiVersion(), ToText(options_.compute));
}

EngineReport PhysicalBackend::Run(EngineKind /*kind*/, const Communicator& world,
                                  EngineSetup setup) {
  player_ = std::make_unique<TrafficPlayer>(here_, ranks_, rank_of_, clock_, &queue_, agent_,
                                            contents_, &ledger_, &books_);
  if (contents_ != nullptr) contents_->Prepare();
  PhysicalRun run(world, setup, options_, clock_, queue_, player_.get());
  SharedClock shared(world);
  shared.Begin(&clock_);
  const EngineReport report = Play(&run, [&] { clocks_ = shared.End(); });
  const MessageContents::Checked mine =
      contents_ != nullptr ? contents_->checked() : MessageContents::Checked{};
  checked_ = {world.Sum(mine.results), world.Sum(mine.bytes)};
  return report;
}

EngineReport PhysicalBackend::Play(PhysicalRun* run, const std::function<void()>& ended) const {
  try {
    return run->Play(ended);
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInterrupted) throw;
    throw Error(error.code(), fmt::format("{}. {}", error.what(), WaitsFor()));
  }
}

std::vector<RunFact> PhysicalBackend::RunFacts() const {
  if (!clocks_) return {};
  return {{"clock_error_ns", static_cast<double>(clocks_->error)},
          {"clock_offset_ns", static_cast<double>(clocks_->offset)},
          {"clock_drift_ns", static_cast<double>(clocks_->drift)},
          {"mpi_transport", ChosenTransport()}};
}

std::string PhysicalBackend::Summary() const {
  const std::string clocks = clocks_ ? DescribeClocks(*clocks_) : "";
  if (contents_ == nullptr) return clocks + "contents         none (physical.contents)\n";
  return clocks +
         fmt::format("contents         {} results checked, {}, all right (physical.check={})\n",
                     checked_.results, ToText(Bytes{checked_.bytes}), ToText(options_.check));
}

MemoryAccount PhysicalBackend::GrowthOf(const OpenTraffic& /*open*/) const {
  MemoryAccount growth;
  if (contents_ != nullptr) growth.Add(Structure::kExchange, contents_->NeededMemory());
  return growth;
}

Time PhysicalBackend::now() const { return player_ ? player_->last() : Time{0}; }

std::string PhysicalBackend::WaitsFor() const {
  if (driver_ == nullptr) return "";
  const std::string waits = driver_->WaitsFor();
  return waits.empty() && player_ ? player_->DescribeOpen() : waits;
}

std::uint64_t PhysicalBackend::events() const {
  return static_cast<std::uint64_t>(books_.flows_started + books_.flows_finished);
}

DomainBooks PhysicalBackend::CheckConservation(const Communicator& world) {
  const auto counts = books_.Values();
  std::vector<std::int64_t> sums(counts.begin(), counts.end());
  world.Sum(&sums);
  DomainBooks all;
  for (int i = 0; i < DomainBooks::kCount; ++i)
    *all.Counts()[static_cast<std::size_t>(i)] = sums[static_cast<std::size_t>(i)];
  return all;
}

void PhysicalBackend::CheckEnd(const Communicator& world) const {
  const std::int64_t sent = world.Sum(books_.injected_bytes);
  const std::int64_t received = world.Sum(books_.received_bytes);
  if (sent == received) return;
  throw SharedError(
      ExitCode::kInvariantViolated,
      fmt::format("{} bytes were sent, {} received, and nothing is under way", sent, received));
}

std::vector<FlowLists> PhysicalBackend::NewFlows() const {
  return {{&ledger_.finished(), &ledger_.arrivals()}};
}

void PhysicalBackend::DropFlows() { ledger_.Drop(); }

std::vector<Table> PhysicalBackend::FlowRows(const FlowRecords& records) const {
  return FlowRowTables(records, origins_, /*controlled=*/false);
}

Table PhysicalBackend::GatherFlows(const Communicator& world, const FlowRecords& mine) const {
  return GatherFlowTable(world, mine, origins_, /*controlled=*/false);
}

TotalTables PhysicalBackend::GatherTotals(const Communicator& world) const {
  TotalTables totals = Backend::GatherTotals(world);
  totals.statistics = GatherStatisticsTables(world, ledger_.statistics());
  totals.statistics.push_back(TierLoadTable({}));
  return totals;
}

TrafficCost PhysicalBackend::CostOf(const TrafficWalk& traffic) const {
  TrafficCost cost;
  traffic([&](NodeId, NodeId, std::int64_t bytes, std::uint64_t count) {
    cost.flows += static_cast<double>(count);
    cost.bytes += static_cast<double>(bytes) * static_cast<double>(count);
  });
  return cost;
}

void PhysicalBackend::AddMemory(MemoryAccount* account) const {
  ledger_.AddMemory(account);
  if (!player_) return;  // GrowthOf() has what comes
  player_->AddMemory(account);
  if (contents_ != nullptr) account->Add(Structure::kExchange, contents_->NeededMemory());
}

}  // namespace heddle
