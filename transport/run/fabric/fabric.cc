// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/fabric/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/domain/replay/replay_refusal.h"
#include "transport/model/replay/episode_memo.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/fabric/path_check.h"

namespace heddle {

namespace {

/// Returns the rate that buffer thresholds are scaled by. SimAI takes the first device of host 0,
/// which is its NVLink in generated topologies; the default here is the host's first link to a
/// switch.
BitRate NicRate(const Graph& graph, bool nvlink) {
  if (graph.gpu_count() == 0 || graph.ports(NodeId(0)).empty()) return BitRate{1};
  const std::vector<Attachment>& ports = graph.ports(NodeId(0));
  for (const Attachment& port : ports) {
    if (!nvlink && graph.kind(port.peer) == NodeKind::kSwitch) return graph.link(port.link).rate;
  }
  return graph.link(ports[0].link).rate;
}

PostOffice::Tails TailsOf(const TransportOptions& options) {
  return CongestionControl(options.congestion).carries_tail() ? PostOffice::Tails::kAlways
                                                              : PostOffice::Tails::kNone;
}

/// Adds the central controller, which is on the root, as a domain after those of the fabric.
std::vector<RankId> RankOfDomains(const FabricLayout& layout, const TransportOptions& options) {
  std::vector<RankId> rank_of = layout.rank_of;
  if (options.controller.enabled) rank_of.push_back(RankId(0));
  return rank_of;
}

std::vector<std::uint32_t> FirstPorts(const Graph& graph, const FabricLayout& layout) {
  std::vector<std::uint32_t> first_port(graph.node_count());
  for (const std::vector<NodeId>& nodes : layout.nodes) {
    std::uint32_t port = 0;
    for (NodeId node : nodes) {
      first_port[node.value] = port;
      port += static_cast<std::uint32_t>(graph.ports(node).size());
    }
  }
  return first_port;
}

/// Throws UserError: flow `number` of the input (from 1) exceeds kMaxFlowBytes on a queue pair.
[[noreturn]] void RefuseSize(std::size_t number, Bytes size, std::int64_t part) {
  const std::string share = part < size.count ? fmt::format(", {} on each queue pair", part) : "";
  throw UserError(
      fmt::format("flow {} of the input has {} bytes{}; at most {} can be sent on one queue pair",
                  number, size.count, share, kMaxFlowBytes));
}

/// Throws UserError for failures of scale-up links.
void RefuseFailures(const Graph& graph, const std::vector<LinkEvent>& failures) {
  for (const LinkEvent& event : failures) {
    const Link& link = graph.link(event.link);
    if (link.layer == Link::kEthernet) continue;
    throw UserError(fmt::format(
        "a failure of the scale-up link between {} and {}. Expected: links of Ethernet only",
        Describe(graph, link.a), Describe(graph, link.b)));
  }
}

}  // namespace

Fabric::Fabric(const Graph& graph, const TransportOptions& options, const FabricLayout& layout,
               RankId here, std::uint32_t ranks, std::uint64_t seed,
               const std::vector<LinkEvent>& failures)
    : graph_(graph),
      layout_(layout),
      here_(here),
      metrics_(graph, Bytes{options.payload}),
      context_(options),
      post_office_(RankOfDomains(layout, options), here, ranks, TailsOf(options)) {
  if (graph.node_count() >= kMaxNodes) {
    throw UserError(fmt::format("the topology has {} nodes; at most {} can be simulated",
                                graph.node_count(), kMaxNodes - 1));
  }
  constexpr std::uint32_t kFitsInCache = 512;  // nodes
  context_.graph = &graph_;
  context_.metrics = &metrics_;
  context_.seed = seed;
  context_.nic_rate = NicRate(graph, options.buffer.nvlink_alpha);
  context_.max_rtt = metrics_.max_rtt();
  context_.prefetch = graph.node_count() > kFitsInCache;
  context_.tails = context_.control.carries_tail();
  context_.marks =
      options.ecn.enabled && (context_.control.needs_ecn() || context_.entropies.sprays());
  if (context_.marks) context_.ecn.emplace(options.ecn);
  if (options.uec_classes() != 0) {
    context_.uec = std::make_unique<const UecRun>(
        options.uec, options.uec_entropy(), ScaleOf(graph, options.uec), options.uec_classes());
  }
  if (graph.scale_up() != nullptr) {
    RefuseFailures(graph, failures);
    context_.scale_up = std::make_unique<ScaleUpRun>(graph, options.scale_up);
  }
  context_.link_tiers.emplace(graph);
  context_.header_bytes = kHeaderBytes + context_.control.header_bytes();
  context_.trains =
      PacketTrains(graph, options.payload, context_.header_bytes, options.train_packets());
  context_.ack_bytes = context_.control.ack_bytes();
  context_.domain_of = layout_.domain_of;
  context_.first_port = FirstPorts(graph, layout_);
  if (options.controller.enabled)
    context_.controller = DomainId(static_cast<std::uint32_t>(layout_.nodes.size()));
  PlanFaults(failures);
  ideal_times_.emplace(graph_, context_.epochs, failures,
                       IdealTimes::Sizes{context_.trains, context_.ack_bytes, options.truncate_ns});
  context_.ideal_times = &*ideal_times_;
  for (std::uint32_t id = 0; id < layout_.nodes.size(); ++id) {
    if (layout_.rank_of[id] != here_) continue;
    domains_.push_back(
        std::make_unique<FabricDomain>(DomainId(id), &context_, &post_office_, layout_.nodes[id]));
  }
  if (context_.controlled() && here_ == RankId(0)) {
    controller_ =
        std::make_unique<CentralController>(context_.controller, &context_, &post_office_);
  }
}

Fabric::~Fabric() = default;

void Fabric::Replay() {
  if (!context_.options.replay.on() || !WhyNoReplay().empty()) return;
  const std::size_t bytes = context_.options.replay.bytes();
  memo_ = std::make_unique<EpisodeMemo>(bytes - bytes / 4);
  for (const auto& domain : domains_) domain->Replay(memo_.get());
}

std::string Fabric::WhyNoReplay() const {
  return heddle::WhyNoReplay(context_.options, graph_, !context_.faults.empty());
}

void Fabric::Settle() const {
  for (const auto& domain : domains_) domain->Settle();
}

ReplayFigures Fabric::replay_figures() const {
  ReplayFigures sum;
  for (const auto& domain : domains_) sum.Add(domain->replay_figures());
  return sum;
}

void Fabric::SetLookahead(Time lookahead, int messages) {
  // One domain needs no windows; any length will do. Ranks without a domain wait at each edge.
  const bool others_wait = post_office_.ranks() > 1 && !context_.controlled();
  if (lookahead == Time::Max()) lookahead = MicroSeconds(others_wait ? 20 : 1);
  if (context_.controlled()) {
    const Time latency = context_.options.controller.latency;
    lookahead = std::min(lookahead, Time{latency.ps / messages});
    context_.ask_delay = latency - lookahead;
  }
  context_.lookahead = lookahead;
}

void Fabric::FindSides(Time notice_delay) {
  if (context_.controlled() || notice_delay < context_.lookahead * 2) return;
  std::vector<std::uint8_t> sides = TwoSides(graph_, layout_.domain_of);
  if (std::find(sides.begin(), sides.end(), 1) == sides.end()) return;
  post_office_.Divide(sides);
  context_.sides = std::move(sides);
}

void Fabric::OpenPostOffice() {
  for (const auto& domain : domains_) post_office_.Add(domain.get());
  if (controller_) post_office_.Add(controller_.get());
}

void Fabric::CheckRates(const std::vector<LinkEvent>& failures) const {
  std::map<NodeId, SharedBuffer> buffers;
  for (const LinkEvent& event : failures) {
    if (event.kind != LinkEvent::Kind::kRate) continue;
    for (NodeId node : {graph_.link(event.link).a, graph_.link(event.link).b}) {
      if (graph_.kind(node) == NodeKind::kGpu) continue;
      const std::uint32_t number = PortOf(graph_, node, event.link).value;
      if (context_.marks && graph_.kind(node) == NodeKind::kSwitch) {
        context_.ecn->For(event.rate, fmt::format("{} port {} from {} on", Describe(graph_, node),
                                                  number, ToText(event.time)));
      }
      const std::string who = Describe(graph_, node) + ", once links change their rates,";
      buffers.try_emplace(node, MakeBuffer(context_, node, who))
          .first->second.SetRate(number, event.rate);
    }
  }
}

void Fabric::PlanFaults(const std::vector<LinkEvent>& failures) {
  CheckRates(failures);
  const RouteTimeline timeline(std::make_shared<const Routes>(graph_, context_.options.nic.ports),
                               failures, context_.options.convergence);
  context_.epochs = timeline.epochs();
  context_.places = PlaceHostsByEpoch(graph_, timeline);
  if (context_.options.balance.weighted) {
    context_.capacities =
        CapacityTimeline(graph_, context_.epochs, failures, context_.options.convergence);
  }
  context_.faults = JoinInstants(failures, timeline);
  context_.fails_until.assign(graph_.links().size(), Time{-1});
  for (const LinkEvent& event : failures) {
    if (event.kind != LinkEvent::Kind::kDown) continue;
    Time& until = context_.fails_until[event.link.value];
    until = std::max(until, event.time);
  }
}

void Fabric::CheckFlows(const std::vector<FlowRequest>& flows) const {
  const MessageSplit split = context_.options.split();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowRequest& flow = flows[i];
    const std::int64_t part = split.PartOf(flow.size.count);
    if (part > kMaxFlowBytes) RefuseSize(i + 1, flow.size, part);
    CheckPath(graph_, routes(), i + 1, flow);
  }
}

void Fabric::Drive(FlowDriver* driver) {
  origins_ = driver->origins();
  context_.reports = driver->notice_delay() < Time::Max();
  HEDDLE_INVARIANT(driver->notice_delay() > Time{0}, "the driver of flows acts without delay");
  const Time domains = SmallestDelayAcross(graph_, layout_.domain_of);
  // Scale-up links have no ACKs.
  const bool all_scale_up = context_.scale_up != nullptr && context_.scale_up->routes;
  if (context_.scale_up != nullptr) context_.scale_up->neighbours_only = driver->neighbours_only();
  const bool acked = context_.reports && !all_scale_up &&
                     context_.options.completion == TransportOptions::Completion::kAcked;
  // When a message is acknowledged, its receiver gets a notice and asks the controller: two
  // messages in one latency. So the notice must come early, and IssueDelay::HandOver must separate
  // the notice from the request.
  const bool sends_notices = acked && layout_.nodes.size() > 1;
  SetLookahead(sends_notices ? std::min(domains, driver->notice_delay()) : domains, acked ? 2 : 1);
  // Messages without ACKs are announced as fast as their first byte can travel.
  FindSides(acked ? driver->notice_delay() : Time::Max());
  context_.notice_delay = context_.controlled() ? context_.lookahead : driver->notice_delay();
  for (const auto& domain : domains_)
    domain->Attach(driver->AgentOf(domain->id(), layout_.nodes[domain->id().value]));
  OpenPostOffice();
  Replay();
}

std::uint64_t Fabric::flow_digest() const {
  std::uint64_t sum = 0;
  for (const auto& domain : domains_) {
    sum += domain->flow_digest();
    for (const FlowRecord& flow : domain->Unfinished()) sum += DigestOf(flow);
  }
  return sum;
}

std::map<std::pair<DomainId, DomainId>, double> Fabric::MessagesSent() const {
  std::map<std::pair<DomainId, DomainId>, double> sums;
  for (const auto& domain : domains_) {
    for (const FabricDomain::Node& node : domain->nodes()) {
      for (std::uint32_t i = node.first_port; i < node.first_port + node.ports; ++i) {
        const Port& port = domain->port(i);
        if (port.sent > 0 && port.far_domain != domain->id())
          sums[{domain->id(), port.far_domain}] += port.sent;
      }
    }
    for (const auto& [to, count] : domain->notices_sent())
      sums[{domain->id(), to}] += static_cast<double>(count);
  }
  return sums;
}

std::vector<RankId> Fabric::NeighbourRanks() const {
  std::set<RankId> ranks;
  // Notices of completion go from any rank to any other, and so do scale-up flows' arrivals.
  const bool any_to_any = context_.reports || context_.scale_up != nullptr;
  for (std::uint32_t rank = 0; any_to_any && rank < post_office_.ranks(); ++rank) {
    if (RankId(rank) != here_) ranks.insert(RankId(rank));
  }
  // The controller exchanges messages with all ranks.
  for (std::uint32_t rank = 0; context_.controlled() && rank < post_office_.ranks(); ++rank) {
    if (RankId(rank) != here_ && (rank == 0 || here_ == RankId(0))) ranks.insert(RankId(rank));
  }
  for (const Link& link : graph_.links()) {
    const RankId a = layout_.rank_of[layout_.domain_of[link.a.value].value];
    const RankId b = layout_.rank_of[layout_.domain_of[link.b.value].value];
    if (a == b) continue;
    if (a == here_) ranks.insert(b);
    if (b == here_) ranks.insert(a);
  }
  return {ranks.begin(), ranks.end()};
}

DomainBooks Fabric::Books() const {
  DomainBooks sum;
  for (const auto& domain : domains_) sum.Add(domain->books());
  return sum;
}

std::uint64_t Fabric::events() const {
  std::uint64_t sum = 0;
  for (const auto& domain : domains_) sum += domain->events();
  return sum + (controller_ ? controller_->events() : 0);
}

Time Fabric::now() const {
  Time last{0};
  for (const auto& domain : domains_) last = std::max(last, domain->LastTime());
  return last;
}

void Fabric::AddMemory(MemoryAccount* account) const {
  for (const auto& domain : domains_) domain->AddMemory(account);
  if (controller_) controller_->AddMemory(account);
  post_office_.AddMemory(account);
  if (memo_) account->Add(Structure::kReplay, memo_->memory());
  account->Add(Structure::kPartition, MemoryOf(layout_.domain_of) + MemoryOf(layout_.nodes) +
                                          MemoryOf(layout_.rank_of) + MemoryOf(context_.domain_of) +
                                          MemoryOf(context_.first_port));
  std::size_t routes = metrics_.memory() + MemoryOf(context_.fails_until) +
                       MemoryOf(context_.faults) + context_.capacities.memory() +
                       ideal_times_->memory();
  // Routes of later epochs share most memory with the first; this counts too much at worst.
  for (const RouteEpoch& epoch : context_.epochs) routes += epoch.routes->memory();
  for (std::size_t i = 0; i < context_.places.size(); ++i) {
    if (i == 0 || context_.places[i] != context_.places[i - 1])
      routes += MemoryOf(*context_.places[i]);
  }
  account->Add(Structure::kRoutes, routes);
}

}  // namespace heddle
