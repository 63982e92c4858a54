// SPDX-License-Identifier: GPL-2.0-only
/// Options of hosts: several queue pairs, weights, priorities, fewer ACKs, NVSwitches as ends of
/// flows.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

std::vector<FlowRequest> WithPriorities(std::vector<FlowRequest> flows) {
  for (std::size_t i = 0; i < flows.size(); ++i)
    flows[i].priority = static_cast<std::uint8_t>(1 + i % 7);
  return flows;
}

/// Flows as in NVLS: from every GPU to its NVSwitch, from the NVSwitch back to every GPU, while
/// other flows pass through it.
std::vector<FlowRequest> NvlsFlows(const Graph& graph) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
    for (std::uint32_t g = 0; g < kGpus; ++g) {
      const std::uint32_t nvswitch = graph.gpu_count() + g / kPerServer;
      flows.push_back(Flow(g, nvswitch, 100000, MicroSeconds(chunk)));
      flows.push_back(Flow(nvswitch, g, 100000, MicroSeconds(chunk + 1)));
    }
  }
  for (std::uint32_t g = 0; g < kGpus; ++g) {
    flows.push_back(
        Flow(g, g / kPerServer * kPerServer + (g + 3) % kPerServer, 60000, MicroSeconds(1)));
  }
  return flows;
}

Proof NvSwitchFlows() {
  return {"flows of NVSwitches", [](const Results& r) {
            std::int64_t count = 0;
            const auto& completion = GetColumn<std::int64_t>(r.table("flows"), "fct_ps");
            const auto& source = GetColumn<std::uint32_t>(r.table("flows"), "src");
            for (std::size_t row = 0; row < source.size(); ++row)
              count += source[row] >= kGpus && completion[row] > 0;
            return count;
          }};
}

Proof IdleNicTime() {
  return {"time of idle NIC ports",
          [](const Results& r) { return r.books.nic_ports_open_ns - r.books.nic_ports_used_ns; }};
}

}  // namespace

void AddHostCases(std::vector<CaseMaker>* cases) {
  using namespace proofs;
  cases->push_back({"queue-pairs", [] {
                      const Settings settings = {{"CC_MODE", "1"},
                                                 {"nic.qps_per_connection", "4"},
                                                 {"nic.weights", "1 2 3 1 4 1 1 8"},
                                                 {"ACK_HIGH_PRIO", "0"},
                                                 {"RP_TIMER", "10"}};
                      return Case{"queue-pairs",
                                  SmallFabric("DCN-DualToR"),
                                  WithPriorities(Incasts({0, 9}, 250000) + MeetingFlows()),
                                  Set(Tight() + Monitored(true) + settings),
                                  {},
                                  {Pauses(), Marks(), RateChanges()}};
                    }});
  for (const char* name : {"AlibabaHPN-DualPlane", "DCN-DualToR"}) {
    const std::string kind = std::string("nic-ports-") + name;
    cases->push_back({kind, [kind, name] {
                        const Settings settings = {{"CC_MODE", "1"},
                                                   {"nic.ports", "round-robin"},
                                                   {"nic.qps_per_connection", "2"}};
                        return Case{kind,
                                    SmallFabric(name),
                                    Incasts({0, 9}, 250000) + MeetingFlows(),
                                    Set(Tight() + Monitored(true) + settings),
                                    {},
                                    {Pauses(), Marks(), IdleNicTime()}};
                      }});
  }
  cases->push_back({"random-ports", [] {
                      const Settings settings = {{"nic.source_ports", "random"},
                                                 {"nic.qps_per_connection", "3"}};
                      return Case{"random-ports",
                                  SmallFabric("DCN-DualToR"),
                                  Incasts({0, 9}, 250000) + MeetingFlows(),
                                  Set(Tight() + Monitored(true) + settings),
                                  {},
                                  {Pauses(), Marks()}};
                    }});
  for (const char* simai : {"false", "true"}) {
    const std::string name = *simai == 't' ? "few-acks-simai" : "few-acks";
    cases->push_back({name, [name, simai] {
                        const Settings settings = {{"CC_MODE", "8"},
                                                   {"L2_ACK_INTERVAL", "30000"},
                                                   {"compat.simai_acks", simai},
                                                   {"transport.pair_window", "true"},
                                                   {"RATE_BOUND", "0"},
                                                   {"compat.truncate_ns", "true"}};
                        return Case{name,
                                    SmallFabric("Spectrum-X"),
                                    Incasts({0, 9}, 250000) + MeetingFlows(),
                                    Set(Tight() + Monitored(false) + settings),
                                    {},
                                    {Marks(), Rows("monitors/rates")}};
                      }});
  }
  for (const char* mode : {"0", "1", "3"}) {
    const std::string name = std::string("nvls-cc") + mode;
    cases->push_back({name, [name, mode] {
                        Graph graph = SmallFabric("Spectrum-X");
                        std::vector<FlowRequest> flows = NvlsFlows(graph) + MeetingFlows();
                        return Case{name,
                                    std::move(graph),
                                    std::move(flows),
                                    Set(Tight() + Monitored(true) + Settings{{"CC_MODE", mode}}),
                                    {},
                                    {NvSwitchFlows()}};
                      }});
  }
}

}  // namespace heddle::invariance
