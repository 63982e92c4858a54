// SPDX-License-Identifier: GPL-2.0-only
#include "io/infragraph/infragraph_model.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "topology/graph/graph.h"

namespace heddle {
namespace {

constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::int64_t kMostCount = 1'000'000;

/// Reads nodes of YAML, and says where one is wrong.
class InfragraphReader {
 public:
  explicit InfragraphReader(const std::string& file) : file_(file) {}

  Infrastructure Read(YAML::Node root) {
    if (root.IsMap() && root["infrastructure"]) root.reset(root["infrastructure"]);
    if (!root.IsMap()) Fail(root, "no keys", "devices, instances, links and edges");
    Infrastructure all;
    all.file = file_;
    ForEach(root, "devices", [&](const YAML::Node& n) { all.devices.push_back(Device(n)); });
    ForEach(root, "links", [&](const YAML::Node& n) { all.links.push_back(Link(n)); });
    ForEach(root, "instances", [&](const YAML::Node& n) { all.instances.push_back(Instance(n)); });
    ForEach(root, "edges", [&](const YAML::Node& n) { all.edges.push_back(Edge(n, true)); });
    ForEach(root, "connections",
            [&](const YAML::Node& n) { all.edges.push_back(Connection(n, true)); });
    return all;
  }

 private:
  [[noreturn]] void Fail(const YAML::Node& node, const std::string& found,
                         const std::string& expected) const {
    FailInput({file_, LineOf(node)}, found, expected);
  }
  static std::int64_t LineOf(const YAML::Node& node) {
    return node.IsDefined() && node.Mark().line >= 0 ? node.Mark().line + 1 : 0;
  }

  /// Visits the items of a list, which may be missing.
  template <class Visit>
  void ForEach(const YAML::Node& map, const char* key, const Visit& visit) const {
    const YAML::Node list = map[key];
    if (!list || list.IsNull()) return;
    if (!list.IsSequence()) Fail(list, fmt::format("{} is no list", key), "a list");
    for (const YAML::Node& item : list) visit(item);
  }

  /// A text; empty if it is missing.
  std::string TextOf(const YAML::Node& map, const char* key) const {
    if (!map.IsMap()) Fail(map, "no keys", fmt::format("a map with {}", key));
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return "";
    if (!value.IsScalar()) Fail(value, fmt::format("{} is no text", key), "a text");
    return value.Scalar();
  }
  std::string Required(const YAML::Node& map, const char* key) const {
    std::string text = TextOf(map, key);
    if (text.empty()) Fail(map, fmt::format("no {}", key), fmt::format("{}: NAME", key));
    return text;
  }
  double Number(const YAML::Node& map, const char* key, double least, double most) const {
    double number = 0;
    const YAML::Node value = map[key];
    const bool reads = value.IsScalar() && YAML::convert<double>::decode(value, number);
    if (!reads || !std::isfinite(number) || number < least || number > most)
      Fail(value, fmt::format("{}: '{}'", key, Printable(TextOf(map, key))),
           fmt::format("a number from {} to {}", least, most));
    return number;
  }
  std::uint32_t Count(const YAML::Node& map) const {
    const YAML::Node value = map["count"];
    if (!value || value.IsNull()) return 1;
    const double number = Number(map, "count", 0, static_cast<double>(kMostCount));
    if (number != std::floor(number)) Fail(value, "a count with a fraction", "a whole number");
    return static_cast<std::uint32_t>(number);
  }

  InfraDevice Device(const YAML::Node& node) const {
    InfraDevice device;
    device.name = Required(node, "name");
    ForEach(node, "components",
            [&](const YAML::Node& n) { device.components.push_back(Component(n)); });
    ForEach(node, "links", [&](const YAML::Node& n) { device.links.push_back(Link(n)); });
    ForEach(node, "edges", [&](const YAML::Node& n) { device.edges.push_back(Edge(n, false)); });
    ForEach(node, "connections",
            [&](const YAML::Node& n) { device.edges.push_back(Connection(n, false)); });
    return device;
  }

  InfraComponent Component(const YAML::Node& node) const {
    InfraComponent component;
    component.name = Required(node, "name");
    component.description = TextOf(node, "description");
    component.count = Count(node);
    const std::string kind =
        TextOf(node, "choice").empty() ? Required(node, "type") : TextOf(node, "choice");
    constexpr std::pair<const char*, InfraKind> kKinds[] = {
        {"xpu", InfraKind::kGpu},       {"npu", InfraKind::kGpu},
        {"gpu", InfraKind::kGpu},       {"cpu", InfraKind::kCpu},
        {"nic", InfraKind::kNic},       {"port", InfraKind::kPort},
        {"switch", InfraKind::kSwitch}, {"device", InfraKind::kDevice},
        {"memory", InfraKind::kOther},  {"custom", InfraKind::kOther}};
    for (const auto& [word, known] : kKinds) {
      if (kind == word) return component.kind = known, component;
    }
    Fail(node, fmt::format("a component of kind '{}'", Printable(kind)),
         "xpu, cpu, nic, port, switch, memory, device or custom");
  }

  InfraLink Link(const YAML::Node& node) const {
    InfraLink link;
    link.name = Required(node, "name");
    link.description = TextOf(node, "description");
    const YAML::Node physical = node["physical"] ? node["physical"] : node;
    if (!physical.IsMap()) Fail(physical, "physical is no map", "bandwidth and latency");
    if (const YAML::Node bandwidth = physical["bandwidth"]) SetRate(bandwidth, &link);
    if (const YAML::Node latency = physical["latency"]) SetDelay(latency, &link);
    return link;
  }

  /// Words have changed from version to version: "gigabits_per_second" was "g_bits_per_second".
  void SetRate(const YAML::Node& node, InfraLink* link) const {
    if (!node.IsMap()) Fail(node, "bandwidth is no map", "gigabits_per_second: NUMBER");
    constexpr std::pair<const char*, double> kUnits[] = {
        {"gigabits_per_second", 1e9},  {"g_bits_per_second", 1e9},  {"giga_bits_per_second", 1e9},
        {"gigabytes_per_second", 8e9}, {"g_bytes_per_second", 8e9}, {"giga_bytes_per_second", 8e9}};
    for (const auto& [key, bits] : kUnits) {
      if (!node[key]) continue;
      const double rate = Number(node, key, 0.001, 1e6) * bits;
      link->rate = BitRate{static_cast<std::int64_t>(std::llround(rate))};
      if (link->rate < kLowestLinkRate || kHighestLinkRate < link->rate)
        Fail(node, fmt::format("{} of {}", key, TextOf(node, key)), kLinkRateRange);
    }
    for (const char* key :
         {"gigatransfers_per_second", "g_transfers_per_second", "giga_transfers_per_second"})
      link->by_transfers = link->by_transfers || static_cast<bool>(node[key]);
  }

  void SetDelay(const YAML::Node& node, InfraLink* link) const {
    if (!node.IsMap()) Fail(node, "latency is no map", "ns: NUMBER");
    constexpr std::pair<const char*, double> kUnits[] = {{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};
    for (const auto& [key, picoseconds] : kUnits) {
      if (!node[key]) continue;
      const double delay = Number(node, key, 0, 1e12 / picoseconds) * picoseconds;
      link->delay = PicoSeconds(std::llround(delay));
      link->has_delay = true;
    }
  }

  InfraInstance Instance(const YAML::Node& node) const {
    InfraInstance instance;
    instance.name = Required(node, "name");
    instance.device = Required(node, "device");
    instance.count = Count(node);
    instance.line = LineOf(node);
    return instance;
  }

  InfraEnd End(const YAML::Node& edge, const char* key, bool of_instances) const {
    const YAML::Node node = edge[key];
    if (!node || !node.IsMap()) Fail(edge, fmt::format("no {}", key), "ep1 and ep2 with component");
    InfraEnd end;
    end.component = Required(node, "component");
    const std::string device = TextOf(node, "device");
    if (of_instances) {
      end.instance = TextOf(node, "instance").empty() ? device : Required(node, "instance");
      if (end.instance.empty()) Fail(node, fmt::format("no instance in {}", key), "instance: NAME");
    } else if (!device.empty()) {
      end.component = device + "." + end.component;
    }
    return end;
  }

  InfraEdge Edge(const YAML::Node& node, bool of_instances) const {
    InfraEdge edge;
    if (!node.IsMap()) Fail(node, "an edge without keys", "ep1, ep2, scheme and link");
    edge.line = LineOf(node);
    edge.a = End(node, "ep1", of_instances);
    edge.b = End(node, "ep2", of_instances);
    edge.link = Required(node, "link");
    const std::string scheme = TextOf(node, "scheme"), many = TextOf(node, "many2many");
    if (scheme == "many2many" || (scheme.empty() && many == "true")) {
      edge.scheme = InfraEdge::Scheme::kManyToMany;
    } else if (scheme == "ring") {
      edge.scheme = InfraEdge::Scheme::kRing;
    } else if (!scheme.empty() && scheme != "one2one") {
      Fail(node, fmt::format("scheme '{}'", Printable(scheme)), "one2one, many2many or ring");
    }
    return edge;
  }

  /// "xpu.0.pcie.nic.0", or between instances "server.0.nic.0.eth.leaf.0.port.0".
  InfraEdge Connection(const YAML::Node& node, bool of_instances) const {
    if (!node.IsScalar())
      Fail(node, "a connection that is no text", "server.0.nic.0.eth.leaf.0.port.0");
    std::vector<std::string> words;
    const std::string& text = node.Scalar();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('.', begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    const std::size_t each = of_instances ? 4 : 2;
    if (words.size() != 2 * each + 1)
      Fail(node, fmt::format("'{}'", Printable(text)),
           of_instances ? "nine words with dots between, such as server.0.nic.0.eth.leaf.0.port.0"
                        : "five words with dots between, such as xpu.0.pcie.nic.0");
    const auto indexed = [&](std::size_t i) { return words[i] + "[" + words[i + 1] + "]"; };
    InfraEdge edge;
    edge.line = LineOf(node);
    edge.link = words[each];
    for (const std::size_t begin : {std::size_t{0}, each + 1}) {
      InfraEnd& end = begin == 0 ? edge.a : edge.b;
      if (of_instances) end.instance = indexed(begin);
      end.component = indexed(begin + each - 2);
    }
    return edge;
  }

  const std::string& file_;
};

}  // namespace

Infrastructure ParseInfragraph(const std::string& text, const std::string& file) {
  if (text.size() > kMostText)
    FailInput({file, 0}, fmt::format("{} bytes", text.size()),
              "an infrastructure of 64 MiB at most");
  try {
    return InfragraphReader(file).Read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    FailInput({file, error.mark.line + 1}, "no YAML: " + error.msg,
              "an infrastructure of InfraGraph");
  }
}

}  // namespace heddle
