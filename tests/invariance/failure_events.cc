// SPDX-License-Identifier: GPL-2.0-only
#include "tests/invariance/failure_events.h"

#include "tests/invariance/traffic.h"

namespace heddle::invariance {

using What = FailureEvent::What;

NodeId SwitchOf(const Graph& graph, NodeId node, std::size_t number) {
  for (const Attachment& port : graph.ports(node)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch && number-- == 0) return port.peer;
  }
  return NodeId();
}

FailureEvent Event(double us, FailureEvent::What what, NodeId a, NodeId b, BitRate rate) {
  FailureEvent event;
  event.time = NanoSeconds(static_cast<std::int64_t>(us * 1000));
  event.what = what;
  event.a = a;
  event.b = b;
  event.rate = rate;
  return event;
}

std::vector<FailureEvent> LinksDownAndUp(const Graph& graph) {
  const NodeId gpu(0), leaf = SwitchOf(graph, gpu);
  // The first switches linked to a leaf are its spines, as GPUs are not switches.
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

}  // namespace heddle::invariance
