// SPDX-License-Identifier: GPL-2.0-only
/// Links and nodes that fail, come back and change their rate while packets are under way.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

using What = FailureEvent::What;

/// The `number`th switch that a node is linked to.
NodeId SwitchOf(const Graph& graph, NodeId node, std::size_t number = 0) {
  for (const Attachment& port : graph.ports(node)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch && number-- == 0) return port.peer;
  }
  return NodeId();
}

FailureEvent Event(double us, What what, NodeId a, NodeId b = NodeId(), BitRate rate = BitRate{}) {
  FailureEvent event;
  event.time = NanoSeconds(static_cast<std::int64_t>(us * 1000));
  event.what = what;
  event.a = a;
  event.b = b;
  event.rate = rate;
  return event;
}

Case Failing(const std::string& name, const std::string& fabric, const Settings& more,
             const std::function<std::vector<FailureEvent>(const Graph&)>& events,
             std::vector<Proof> proofs) {
  const Settings settings = {{"reliability.timeout", "60us"},
                             {"reliability.nack_interval", "5us"},
                             {"failure.convergence", "7us"}};
  Graph graph = SmallFabric(fabric);
  std::vector<LinkEvent> failures = ExpandFailures(graph, events(graph));
  return {name,
          std::move(graph),
          Incasts({0, 9}, 180000) + Shifts(4, 180000, MicroSeconds(4)),
          Set(Tight() + settings + Monitored(true) + more),
          std::move(failures),
          std::move(proofs)};
}

/// Two uplinks of GPU 0's leaf, one of them twice, and its NIC's cable, at the same instants as
/// other things.
std::vector<FailureEvent> LinksDownAndUp(const Graph& graph) {
  const NodeId gpu(0), leaf = SwitchOf(graph, gpu);
  // The first switches a leaf knows are its spines: GPUs are no switches.
  const NodeId spine = SwitchOf(graph, leaf, 0), other = SwitchOf(graph, leaf, 1);
  return {Event(4, What::kLinkDown, leaf, spine), Event(4, What::kLinkDown, leaf, other),
          Event(9, What::kLinkUp, leaf, spine),   Event(12, What::kLinkDown, spine, leaf),
          Event(13, What::kLinkDown, gpu, leaf),  Event(33, What::kLinkUp, gpu, leaf),
          Event(40, What::kLinkUp, leaf, spine),  Event(41, What::kLinkUp, leaf, other)};
}

std::vector<FailureEvent> RatesChange(const Graph& graph) {
  const NodeId gpu(0), leaf = SwitchOf(graph, gpu), spine = SwitchOf(graph, leaf);
  const BitRate slow{100'000'000'000}, full{400'000'000'000};
  return {Event(3, What::kLinkRate, gpu, leaf, slow), Event(5, What::kLinkRate, leaf, spine, slow),
          Event(25, What::kLinkRate, leaf, spine, full),
          Event(30, What::kLinkRate, gpu, leaf, full)};
}

std::vector<FailureEvent> NodesDownAndUp(const Graph& graph) {
  const NodeId leaf = SwitchOf(graph, NodeId(0)), spine = SwitchOf(graph, leaf);
  return {Event(3, What::kNodeDown, spine), Event(20, What::kNodeUp, spine),
          Event(22, What::kNodeDown, leaf), Event(35, What::kNodeDown, NodeId(9)),
          Event(55, What::kNodeUp, leaf),   Event(70, What::kNodeUp, NodeId(9))};
}

std::vector<FailureEvent> NodesDownForGood(const Graph& graph) {
  return {Event(5, What::kNodeDown, SwitchOf(graph, NodeId(0))),
          Event(6, What::kNodeDown, NodeId(9)), Event(7, What::kNodeDown, NodeId(kGpus))};
}

/// Many queue pairs of unequal lengths, so that slots change hands before they all move to another
/// NIC.
std::vector<FlowRequest> ManyFlows() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 12 * kGpus; ++i) {
    const std::uint32_t from = i % kGpus, wave = i / kGpus;
    flows.push_back(Flow(from, (from + kPerServer + i % 5) % kGpus, 9000 + i * 7919 % 120000,
                         NanoSeconds(700 * wave + i % 7 * 90)));
  }
  return flows;
}

std::vector<FailureEvent> AllNicsDownAndUp(const Graph& graph) {
  std::vector<FailureEvent> events;
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    const NodeId leaf = SwitchOf(graph, NodeId(gpu), gpu % 2);
    events.push_back(Event(10, What::kLinkDown, NodeId(gpu), leaf));
    events.push_back(Event(25, What::kLinkUp, NodeId(gpu), leaf));
  }
  return events;
}

}  // namespace

void AddFailureCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  const auto add = [&](const char* name, const char* fabric, const Settings& more, auto events,
                       std::vector<Proof> proofs) {
    cases->push_back({name, [=] { return Failing(name, fabric, more, events, proofs); }});
  };
  const Proof lost = Drops(DropReason::kLinkDown);
  const Settings selective = {{"reliability.selective_repeat", "true"}};
  add("links-down", "DCN-SingleToR", {{"CC_MODE", "1"}}, LinksDownAndUp,
      {lost, Resent(), Timeouts(), Pauses(), Marks()});
  add("links-down-hpcc", "DCN-SingleToR", {{"CC_MODE", "3"}}, LinksDownAndUp,
      {lost, Resent(), Timeouts(), RateChanges()});
  add("links-down-at-once", "Spectrum-X",
      Settings{{"CC_MODE", "0"}, {"failure.convergence", "0us"}} + selective, LinksDownAndUp,
      {lost, Resent(), Timeouts(), Pauses()});
  add("dual-tor-down", "DCN-DualToR",
      {{"CC_MODE", "7"}, {"timely.low", "8us"}, {"timely.high", "30us"}}, LinksDownAndUp,
      {lost, Resent(), Timeouts(), Pauses(), RateChanges()});
  add("dual-plane-down", "AlibabaHPN-DualPlane", Settings{{"CC_MODE", "10"}} + selective,
      LinksDownAndUp, {lost, Resent(), Timeouts(), Pauses()});
  add("rates-change", "DCN-SingleToR", {{"CC_MODE", "1"}}, RatesChange,
      {Pauses(), Marks(), RateChanges()});
  add("rates-change-hpcc", "DCN-DualToR", {{"CC_MODE", "3"}}, RatesChange,
      {Pauses(), RateChanges()});
  add("nodes-down", "DCN-SingleToR", {{"CC_MODE", "1"}}, NodesDownAndUp,
      {lost, Resent(), Timeouts(), Pauses()});
  add("nodes-down-dual", "DCN-DualToR", Settings{{"CC_MODE", "8"}} + selective, NodesDownAndUp,
      {lost, Resent(), Timeouts(), Pauses()});
  cases->push_back({"many-move", [=] {
                      Case c = Failing("many-move", "DCN-DualToR",
                                       {{"CC_MODE", "1"}, {"failure.convergence", "1us"}},
                                       AllNicsDownAndUp, {lost, Resent(), Timeouts()});
                      c.flows = ManyFlows();
                      return c;
                    }});
  // Some flows have no route any more; some give up before the routes know.
  add("down-for-good", "DCN-SingleToR", {{"CC_MODE", "1"}}, NodesDownForGood,
      {lost, Flows(FlowState::kNoRoute), Flows(FlowState::kFinished)});
  add("down-for-good-late", "DCN-SingleToR",
      {{"CC_MODE", "1"}, {"failure.convergence", "1000us"}, {"reliability.retry_limit", "2"}},
      NodesDownForGood, {lost, Flows(FlowState::kRetryLimit), Flows(FlowState::kFinished)});
}

}  // namespace heddle::invariance
