// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "io/infragraph/infragraph_fabric.h"
#include "io/infragraph/infragraph_model.h"
#include "io/infragraph/infragraph_nodes.h"

namespace heddle {
namespace {

/// Two servers of two A100 behind one leaf; the NICs are devices of their own at PCIe switches.
const char* const kTwoServers = R"(name: two
devices:
- name: nic
  components:
  - {name: pcie, choice: custom, custom: {type: endpoint}, count: 1}
  - {name: port, choice: port, count: 1}
  links: [{name: serdes}]
  edges:
  - {ep1: {component: pcie}, ep2: {component: port}, scheme: one2one, link: serdes}
- name: server
  components:
  - {name: cpu, choice: cpu, count: 1}
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA A100 SXM4}
  - {name: nvsw, choice: switch, count: 2}
  - {name: pciesw, choice: switch, count: 1}
  - {name: nic, choice: device, count: 2}
  links: [{name: nvlink}, {name: pcie, description: PCI Express}]
  edges:
  - {ep1: {component: xpu}, ep2: {component: nvsw}, scheme: many2many, link: nvlink}
  - {ep1: {component: cpu}, ep2: {component: pciesw}, scheme: one2one, link: pcie}
  - {ep1: {component: 'pciesw[0]'}, ep2: {component: 'xpu[0:2]'}, scheme: many2many, link: pcie}
  - {ep1: {component: 'pciesw[0]'}, ep2: {device: 'nic[0:2]', component: 'pcie[0]'}, scheme: many2many, link: pcie}
- name: leaf
  components:
  - {name: asic, choice: switch, count: 1}
  - {name: port, choice: port, count: 4}
  links: [{name: ic}]
  edges:
  - {ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}
links:
- name: eth
  physical:
    bandwidth: {gigabits_per_second: 200}
    latency: {us: 0.3}
instances:
- {name: host, device: server, count: 2}
- {name: tor, device: leaf, count: 1}
edges:
- {ep1: {instance: 'host[0]', component: 'nic[0:2].port[0]'}, ep2: {instance: 'tor[0]', component: 'port[0:2]'}, scheme: one2one, link: eth}
- {ep1: {instance: 'host[1]', component: 'nic[0:2].port[0]'}, ep2: {instance: 'tor[0]', component: 'port[2:4]'}, scheme: one2one, link: eth}
)";

std::string With(const std::string& from, const std::string& to) {
  std::string text = kTwoServers;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

InfragraphFabric Make(const std::string& text) {
  return MakeInfragraphFabric(ParseInfragraph(text, "two.yaml"));
}

std::string ErrorOf(const std::string& text) {
  try {
    Make(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Infragraph, ServersBehindALeaf) {
  const InfragraphFabric fabric = Make(kTwoServers);
  const Graph& graph = fabric.graph;
  EXPECT_EQ(fabric.format, "InfraGraph: 2 servers of 2 GPUs, 4 NVSwitches, 1 switches");
  EXPECT_EQ(graph.gpu_count(), 4U);
  EXPECT_EQ(graph.nvswitch_count(), 4U);
  EXPECT_EQ(graph.switch_count(), 1U);
  EXPECT_EQ(graph.gpus_per_server(), 2U);
  EXPECT_EQ(graph.gpu_type(), "A100");
  EXPECT_EQ(graph.names()[3], "host.1.xpu.1");
  EXPECT_EQ(graph.names()[8], "tor.0");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    const auto& ports = graph.ports(NodeId(gpu));
    ASSERT_EQ(ports.size(), 3U) << gpu;
    std::int64_t nvlinks = 0;
    for (const Attachment& port : ports) {
      const Link& link = graph.link(port.link);
      if (port.peer.value == 8) {
        EXPECT_EQ(link.rate.bps, 200'000'000'000);
        EXPECT_EQ(link.delay, NanoSeconds(300));
      } else {
        EXPECT_EQ((port.peer.value - 4) / 2, gpu / 2) << "an NVSwitch of its own server";
        nvlinks += link.rate.bps;
      }
    }
    EXPECT_EQ(nvlinks, 1'900'000'000'000) << "what an A100 reaches over all its NVLinks";
  }
  ASSERT_EQ(fabric.warnings.size(), 1U);
  EXPECT_NE(fabric.warnings[0].find("link 'nvlink' has no rate"), std::string::npos);
}

TEST(Infragraph, GivenRatesOfNvLinksAreTaken) {
  const InfragraphFabric fabric =
      Make(With("{name: nvlink}",
                "{name: nvlink, physical: {bandwidth: {gigabytes_per_second: 300}, "
                "latency: {ns: 40}}}"));
  EXPECT_TRUE(fabric.warnings.empty());
  const Link& link = fabric.graph.links().front();
  EXPECT_EQ(link.rate.bps, 2'400'000'000'000);
  EXPECT_EQ(link.delay, NanoSeconds(40));
}

/// The form of version 0.1, in JSON, below a key of its own.
TEST(Infragraph, ReadsConnectionsOfTheFirstVersion) {
  const InfragraphFabric fabric = Make(R"({"infrastructure": {"devices": [
    {"name": "host", "components": [{"name": "npu", "type": "npu", "count": 1},
                                    {"name": "nic", "type": "nic", "count": 2}],
     "links": [{"name": "pcie"}], "connections": ["npu.0.pcie.nic.0", "npu.0.pcie.nic.1"]},
    {"name": "switch", "components": [{"name": "port", "type": "custom", "count": 4}]}],
    "links": [{"name": "eth", "bandwidth": {"choice": "g_bits_per_second", "g_bits_per_second": 100}}],
    "instances": [{"name": "h", "device": "host", "count": 2}, {"name": "s", "device": "switch"}],
    "connections": ["h.0.nic.0.eth.s.0.port.0", "h.0.nic.1.eth.s.0.port.1",
                    "h.1.nic.0.eth.s.0.port.2", "h.1.nic.1.eth.s.0.port.3"]}})");
  EXPECT_EQ(fabric.format, "InfraGraph: 2 servers of 1 GPU, 0 NVSwitches, 1 switches");
  EXPECT_EQ(fabric.graph.links().size(), 4U);
  EXPECT_EQ(fabric.graph.links()[0].rate.bps, 100'000'000'000);
  EXPECT_EQ(fabric.graph.links()[0].delay, NanoSeconds(500));
}

/// A rack whose GPUs reach each other over switches of the rack is one server.
TEST(Infragraph, ARackIsOneServer) {
  const InfragraphFabric fabric = Make(R"(
devices:
- {name: tray, components: [{name: xpu, choice: xpu, count: 2}]}
- {name: nvtray, components: [{name: asic, choice: switch, count: 1}]}
- name: rack
  components: [{name: tray, choice: device, count: 3}, {name: nvtray, choice: device, count: 2}]
  links: [{name: nvl, physical: {bandwidth: {gigabits_per_second: 400}}}]
  edges:
  - {ep1: {component: tray.xpu}, ep2: {component: nvtray.asic}, scheme: many2many, link: nvl}
instances: [{name: r, device: rack, count: 2}]
)");
  EXPECT_EQ(fabric.format, "InfraGraph: 2 servers of 6 GPUs, 4 NVSwitches, 0 switches");
  EXPECT_EQ(fabric.graph.links().size(), 24U);
  EXPECT_EQ(fabric.graph.names()[0], "r.0.tray.0.xpu.0");
  EXPECT_EQ(fabric.graph.names()[12], "r.0.nvtray.0");
}

TEST(Infragraph, SlicesSelect) {
  const Infrastructure all = ParseInfragraph(R"(
devices: [{name: d, components: [{name: c, choice: port, count: 6}]}]
links: [{name: l}]
instances: [{name: a, device: d, count: 1}, {name: b, device: d, count: 1}]
edges:
- {ep1: {instance: a, component: 'c[1:6:2]'}, ep2: {instance: 'b[0]', component: 'c[:3]'}, scheme: one2one, link: l}
)",
                                             "s.yaml");
  const InfraNodes nodes = ExpandInfragraph(all);
  ASSERT_EQ(nodes.between.size(), 3U);
  EXPECT_EQ(nodes.between[0].a, 1U);
  EXPECT_EQ(nodes.between[0].b, 6U);
  EXPECT_EQ(nodes.between[2].a, 5U);
  EXPECT_EQ(nodes.between[2].b, 8U);
}

TEST(Infragraph, NamesWhatIsWrong) {
  struct {
    const char *from, *to, *part;
  } constexpr kCases[] = {
      {"name: two", "name: [two", "no YAML"},
      {"device: server, count: 2", "device: servant, count: 2", "no device 'servant'"},
      {"instance: 'host[0]'", "instance: 'host[2]'", "'host[2]', of which there are 2"},
      {"instance: 'host[0]'", "instance: 'hast[0]'", "no instance 'hast'"},
      {"component: 'nic[0:2].port[0]'", "component: 'nic[0:2]'", "DEVICE.COMPONENT"},
      {"component: 'nic[0:2].port[0]'", "component: 'nic[0:1].port[0]'",
       "one2one with 1 ends and 2"},
      {"scheme: one2one, link: eth", "scheme: one2one, link: ether", "no link 'ether'"},
      {"scheme: one2one, link: eth", "scheme: star, link: eth", "scheme 'star'"},
      {"gigabits_per_second: 200", "gigabits_per_second: fast", "gigabits_per_second: 'fast'"},
      {"    bandwidth: {gigabits_per_second: 200}\n", "", "link 'eth' has no rate"},
      {"choice: cpu", "choice: tpu", "a component of kind 'tpu'"},
      {"NVIDIA A100 SXM4", "a GPU", "the type of GPU is not known"},
      {"choice: xpu", "choice: memory", "no component is a GPU (xpu)"},
      {"count: 2, description", "count: 3, description", "has no port of its own"},
      {"count: 2, description", "count: -1, description", "count: '-1'"},
      {"name: nic, choice: device", "name: server, choice: device",
       "devices that do not contain themselves"},
  };
  for (const auto& [from, to, part] : kCases) {
    const std::string error = ErrorOf(With(from, to));
    EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' has no '" << part << "'";
    EXPECT_EQ(error.rfind("two.yaml", 0), 0U) << error;
  }
}

}  // namespace
}  // namespace heddle
