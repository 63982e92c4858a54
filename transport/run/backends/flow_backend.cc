// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/flow_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "topology/graph/node_names.h"
#include "transport/run/backends/fluid_input.h"
#include "transport/run/backends/packet_estimate.h"
#include "transport/run/fabric/gathered_records.h"
#include "transport/run/fabric/path_check.h"
#include "transport/run/flow/fluid_post.h"

namespace heddle {
namespace {

/// The lookahead where nobody waits for notices; any will do.
constexpr Time kLongestLag = MicroSeconds(10);
/// What is posted after a notice must cross twice between domains before it starts.
constexpr Time kLeastNotice = PicoSeconds(2);

/// Least time from the end of a fluid to what hardware posts in consequence without any notice
/// (FlowPost::on_arrival): NVSwitches answer when the last byte arrives. Time::Max() without them.
Time LeastAnswer(const Graph& graph) {
  Time least = Time::Max();
  for (const Link& link : graph.links()) {
    const bool answers =
        graph.kind(link.a) == NodeKind::kNvSwitch || graph.kind(link.b) == NodeKind::kNvSwitch;
    if (answers) least = std::min(least, link.delay);
  }
  return least;
}

/// All fluids are at the root, a domain after those of the hosts.
std::vector<RankId> RankOfDomains(const BackendInput& input) {
  std::vector<RankId> rank_of = input.rank_of;
  rank_of.emplace_back(0);
  return rank_of;
}

}  // namespace

FlowBackend::FlowBackend(const BackendInput& input)
    : graph_(input.graph),
      routes_(input.graph, input.transport.nic.ports),
      metrics_(input.graph, Bytes{input.transport.payload}),
      run_(MakeFluidRun(input, &routes_, &post_office_)),
      transport_(input.transport),
      here_(input.here),
      ranks_(input.ranks),
      nodes_(input.nodes),
      post_office_(RankOfDomains(input), input.here, input.ranks, PostOffice::Tails::kAlways) {
  run_.metrics = &metrics_;
  CheckFluidInput(input);
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    if (input.rank_of[id] == here_)
      hosts_.push_back(std::make_unique<FluidHost>(DomainId(id), &run_));
  }
  for (const auto& host : hosts_) post_office_.Add(host.get());
  if (here_ != RankId(0)) return;
  fluids_ = std::make_unique<FluidDomain>(&run_);
  post_office_.Add(fluids_.get());
}

void FlowBackend::CheckFlows(const std::vector<FlowRequest>& flows) const {
  for (std::size_t i = 0; i < flows.size(); ++i) CheckPath(graph_, routes_, i + 1, flows[i]);
}

void FlowBackend::Drive(FlowDriver* driver) {
  origins_ = driver->origins();
  const Time notice = driver->notice_delay();
  run_.reports = notice < Time::Max();
  if (notice < kLeastNotice)
    RefuseFluids("messages follow each other without any latency", "a latency of 2ps or more");
  if (LeastAnswer(graph_) < kLeastNotice)
    RefuseFluids("a link of an NVSwitch has no delay", "a delay of 2ps or more");
  run_.lag = std::min({Time{notice.ps / 2}, Time{LeastAnswer(graph_).ps / 2}, kLongestLag});
  for (const auto& host : hosts_)
    host->Attach(driver->AgentOf(host->id(), nodes_[host->id().value]));
  post_office_.Resume();  // agents have posted
}

std::string FlowBackend::Describe() const {
  const CongestionControl control(transport_.congestion);
  const bool marks = FluidsHaveMarks(transport_);
  std::string text = fmt::format(
      "transport        flow: messages as fluids, max-min fair shares{}; not modelled: {}pauses\n",
      marks ? ", DCQCN by marks of queues" : "",
      marks                 ? ""
      : control.mode() == 0 ? "queues, "
                            : std::string(control.name()) + ", queues, ");
  if (const std::string by = transport_.sprayed_by(); !by.empty())
    text += fmt::format("paths            all equal ones of a message share it ({})\n", by);
  return text;
}

std::vector<RankId> FlowBackend::NeighbourRanks() const {
  std::vector<RankId> ranks;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (RankId(rank) != here_ && (rank == 0 || here_ == RankId(0))) ranks.emplace_back(rank);
  }
  return ranks;
}

std::uint32_t FlowBackend::domains() const {
  return static_cast<std::uint32_t>(hosts_.size()) + (fluids_ ? 1 : 0);
}

std::uint64_t FlowBackend::events() const {
  std::uint64_t sum = fluids_ ? fluids_->events() : 0;
  for (const auto& host : hosts_) sum += host->events();
  return sum;
}

std::uint64_t FlowBackend::flow_digest() const {
  std::uint64_t sum = fluids_ ? fluids_->ledger().digest() : 0;
  for (const FlowRecord& flow : OpenFlows()) sum += DigestOf(flow);
  return sum;
}

DomainBooks FlowBackend::CheckConservation(const Communicator& world) {
  post_office_.EmptyAllInboxes();
  const auto counts = Books().Values();
  std::vector<std::int64_t> sums(counts.begin(), counts.end());
  world.Sum(&sums);
  DomainBooks all;
  for (int i = 0; i < DomainBooks::kCount; ++i)
    *all.Counts()[static_cast<std::size_t>(i)] = sums[static_cast<std::size_t>(i)];
  return all;
}

void FlowBackend::CheckEnd(const Communicator& world) const {
  // What waits for a path is under way.
  const std::int64_t waiting = fluids_ ? fluids_->stranded_bytes() : 0;
  const std::int64_t sent = world.Sum(Books().injected_bytes - waiting);
  const std::int64_t received = world.Sum(Books().received_bytes);
  if (sent == received) return;
  throw SharedError(
      ExitCode::kInvariantViolated,
      fmt::format("{} bytes were sent, {} received, and nothing is under way", sent, received));
}

std::vector<FlowLists> FlowBackend::NewFlows() const {
  if (!fluids_) return {};
  return {{&fluids_->ledger().finished(), &fluids_->ledger().arrivals()}};
}

void FlowBackend::DropFlows() {
  if (fluids_) fluids_->ledger().Drop();
}

std::vector<FlowRecord> FlowBackend::OpenFlows() const {
  std::vector<FlowRecord> open;
  std::vector<FlowPost> posts;
  for (const auto& host : hosts_) {
    host->AddPosted(&posts);
    if (host->agent() != nullptr) host->agent()->AddUnposted(&posts);
  }
  for (const FlowPost& post : posts) AddRows(run_.split, post, &open);
  if (fluids_) fluids_->AddOpen(&open);
  return open;
}

std::vector<Table> FlowBackend::FlowRows(const FlowRecords& records) const {
  return FlowRowTables(records, origins_, /*controlled=*/false);
}

Table FlowBackend::GatherFlows(const Communicator& world, const FlowRecords& mine) const {
  return GatherFlowTable(world, mine, origins_, /*controlled=*/false);
}

std::vector<PortRow> FlowBackend::PortRows() const {
  std::vector<PortRow> rows;
  if (!fluids_) return rows;
  for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
    const std::uint32_t first = fluids_->paths().first_link(NodeId(node));
    for (std::uint32_t port = 0; port < graph_.ports(NodeId(node)).size(); ++port) {
      const FluidDomain::Carried& carried = fluids_->carried()[first + port];
      if (carried.packets == 0) continue;
      const FluidControl* control = fluids_->control();
      PortRow row;
      row.node = NodeId(node);
      row.port = PortId(port);
      row.sent_packets = carried.packets;
      row.sent_bytes = carried.bytes;
      if (control != nullptr) {
        row.max_queued_bytes = control->ports()[first + port].most >> kVolumeBits;
        row.marked = control->ports()[first + port].marked;
      }
      rows.push_back(row);
    }
  }
  return rows;
}

TotalTables FlowBackend::GatherTotals(const Communicator& world) const {
  TotalTables totals = Backend::GatherTotals(world);
  totals.ports = PortTable(PortRows());
  totals.statistics =
      GatherStatisticsTables(world, fluids_ ? fluids_->ledger().statistics() : FlowStatistics());
  totals.statistics.push_back(TierLoadTable({}));
  return totals;
}

std::string FlowBackend::Summary() const {
  if (!fluids_) return "";
  const FluidNetwork& network = fluids_->network();
  const double parts = static_cast<double>(std::max<std::uint64_t>(network.solves(), 1));
  return Congestion() +
         fmt::format("shares           {} times computed, for {:.1f} flows each, at most {}\n",
                     network.solves(), static_cast<double>(network.solved_flows()) / parts,
                     network.largest());
}

/// Where congestion control has acted: the ports that were longest above kmin.
std::string FlowBackend::Congestion() const {
  if (fluids_->control() == nullptr) return "";
  const std::vector<FluidControl::Port>& ports = fluids_->control()->ports();
  std::vector<std::uint32_t> acted;
  for (std::uint32_t link = 0; link < ports.size(); ++link) {
    if (ports[link].cnps > 0) acted.push_back(link);
  }
  std::stable_sort(acted.begin(), acted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ports[a].above > ports[b].above;
  });
  std::string text =
      fmt::format("congestion       {} rates cut for marks at {} of {} links\n",
                  fluids_->control()->cnps(), acted.size(), fluids_->paths().links());
  constexpr std::size_t kShown = 3;
  const NodeNames names(graph_);
  for (std::size_t i = 0; i < std::min(acted.size(), kShown); ++i) {
    const FluidControl::Port& port = ports[acted[i]];
    const auto [node, number] = fluids_->paths().PortOf(acted[i]);
    text += fmt::format("          {} to {}: {} cuts, {} above kmin, at most {:.2f} MB queued\n",
                        names.Of(node), names.Of(graph_.ports(node)[number.value].peer), port.cnps,
                        ToText(port.above), static_cast<double>(port.most >> kVolumeBits) / 1e6);
  }
  return text;
}

TrafficCost FlowBackend::CostOf(const TrafficWalk& traffic) const {
  // Of small parts, as rings have; of a part of n flows that start apart, n / 50 times as much.
  constexpr double kSecondsPerFlow = 4e-6, kEventsPerFlow = 5;
  TrafficCost cost = CostOfPackets(graph_, routes_, transport_, traffic);
  cost.events = kEventsPerFlow * cost.flows;
  cost.seconds = kSecondsPerFlow * cost.flows;
  return cost;
}

MemoryAccount FlowBackend::GrowthOf(const OpenTraffic& open) const {
  MemoryAccount growth;
  if (!fluids_) return growth;
  // All flows of the run are here: with its path, its place at six links and its record.
  constexpr double kBytesPerFlow = 900, kReserve = 1.5;
  growth.Add(Structure::kSenders,
             static_cast<std::size_t>(kReserve * kBytesPerFlow * ranks_ * open.all_flows()));
  return growth;
}

void FlowBackend::AddMemory(MemoryAccount* account) const {
  for (const auto& host : hosts_) host->AddMemory(account);
  if (fluids_) fluids_->AddMemory(account);
  account->Add(Structure::kRoutes, routes_.memory());
  account->Add(Structure::kPartition, MemoryOf(run_.domain_of) + MemoryOf(nodes_));
  post_office_.AddMemory(account);
}

void FlowBackend::SavePieces(PieceWriter* to) {
  post_office_.EmptyAllInboxes();
  StateWriter state;
  for (const auto& host : hosts_) {
    state.Clear();
    host->Save(&state);
    to->Add(PieceKind::kDomain, host->id().value, state.bytes());
  }
  if (!fluids_) return;
  state.Clear();
  fluids_->Save(&state);
  to->Add(PieceKind::kDomain, fluids_->id().value, state.bytes());
}

void FlowBackend::LoadPieces(CheckpointPieces* from) {
  for (const auto& host : hosts_) {
    from->Load(PieceKind::kDomain, host->id().value, [&](StateReader* state) {
      host->Load(state);
      state->ExpectEnd();
    });
  }
  if (fluids_) {
    from->Load(PieceKind::kDomain, fluids_->id().value, [&](StateReader* state) {
      fluids_->Load(state);
      state->ExpectEnd();
    });
  }
  post_office_.Resume();
}

}  // namespace heddle
