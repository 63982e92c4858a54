// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of InfraGraph: what is accepted makes a fabric whose links have rates, or
/// is refused in words.
#include "io/infragraph/infragraph_fabric.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.yaml";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const InfragraphFabric fabric = MakeInfragraphFabric(ParseInfragraph(text, kFile));
    if (fabric.graph.gpu_count() % fabric.graph.gpus_per_server() != 0)
      Complain("servers of different sizes");
    for (const Link& link : fabric.graph.links()) {
      if (link.rate.bps <= 0 || link.a == link.b) Complain("a link without a rate, or to itself");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "infragraph";
  reader.check = &Check;
  reader.words = {"- {name: d, components: [{name: xpu, choice: xpu, count: 2}]}\n",
                  "edges:\n",
                  "instances:\n",
                  "devices:\n",
                  "links:\n",
                  "- {name: i, device: d, count: 2}\n",
                  "scheme: many2many",
                  "scheme: ring",
                  "choice: switch",
                  "choice: device",
                  "component: 'xpu[0:2]'",
                  "component: 'xpu[:]'",
                  "component: d.xpu",
                  "count: 3",
                  "gigabits_per_second: 100",
                  "&a",
                  "*a",
                  "pcie",
                  "connections: [i.0.xpu.0.l.s.0.port.0]\n"};
  reader.seeds = {
      "devices:\n- name: d\n  components:\n  - {name: xpu, choice: xpu, count: 2, description: "
      "A100}\n"
      "  - {name: sw, choice: switch, count: 1}\n  - {name: nic, choice: nic, count: 2}\n"
      "  links: [{name: nvlink}, {name: pcie}]\n  edges:\n"
      "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: nvlink}\n"
      "  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}\n"
      "- {name: s, components: [{name: port, choice: port, count: 4}]}\n"
      "links:\n- {name: l, physical: {bandwidth: {gigabits_per_second: 100}}}\n"
      "instances:\n- {name: i, device: d, count: 2}\n- {name: s, device: s, count: 1}\n"
      "edges:\n- {ep1: {instance: 'i[0:2]', component: nic}, ep2: {instance: s, component: port}, "
      "scheme: one2one, link: l}\n",
      "{\"devices\": [{\"name\": \"d\", \"components\": [{\"name\": \"npu\", \"type\": "
      "\"npu\"}]}], "
      "\"instances\": [{\"name\": \"i\", \"device\": \"d\", \"count\": 2}], \"links\": [], "
      "\"connections\": []}\n"};
  return reader;
}

}  // namespace heddle
