// SPDX-License-Identifier: GPL-2.0-only
/// Links and nodes that fail, come back and change their rate while packets are under way.
#include "tests/invariance/case.h"
#include "tests/invariance/failure_events.h"
#include "tests/invariance/traffic.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/table_routing.h"

namespace heddle::invariance {
namespace {

using What = FailureEvent::What;

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

/// Many queue pairs of unequal lengths, so that slots are reused before all of them move to another
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

/// Switches with forwarding tables, whose dead entries drop until their link is back.
Case WithTables(const std::string& name, const std::string& routing) {
  Case made = Failing(name, "DCN-SingleToR", {{"CC_MODE", "1"}}, LinksDownAndUp,
                      {proofs::Drops(DropReason::kNoRoute)});
  made.graph.SetRouting(std::make_shared<const TableRouting>(
      std::make_shared<const ForwardingTables>(MakeTables(made.graph, routing))));
  return made;
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
  for (const char* routing : {"dmodk", "random"}) {
    const std::string name = std::string("tables-") + routing;
    cases->push_back({name, [=] { return WithTables(name, routing); }});
  }
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
  // Some flows lose their route; some give up before routes follow.
  add("down-for-good", "DCN-SingleToR", {{"CC_MODE", "1"}}, NodesDownForGood,
      {lost, Flows(FlowState::kNoRoute), Flows(FlowState::kFinished)});
  add("down-for-good-late", "DCN-SingleToR",
      {{"CC_MODE", "1"}, {"failure.convergence", "1000us"}, {"reliability.retry_limit", "2"}},
      NodesDownForGood, {lost, Flows(FlowState::kRetryLimit), Flows(FlowState::kFinished)});
}

}  // namespace heddle::invariance
