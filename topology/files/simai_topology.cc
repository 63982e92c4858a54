// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/simai_topology.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "topology/files/link_text.h"
#include "topology/files/topology_names.h"

namespace heddle {
namespace {

constexpr std::size_t kShortestLink = 10;  // bytes of "0 1 1Gb 0s", a lower bound for a link

struct Header {
  std::uint32_t gpus = 0, nvswitches = 0, switches = 0, gpus_per_server = 1;
  std::uint64_t links = 0;
  std::string gpu_type = "NONE";
};

/// Caches the last few texts: a fabric has few rates and delays in thousands of lines.
template <class T>
class TextCache {
 public:
  template <class Parse>
  T Get(std::string_view text, Parse parse) {
    for (const Entry& entry : entries_) {
      if (entry.text == text && !text.empty()) {
        return entry.value;
      }
    }
    const T value = parse(text);
    entries_[next_] = {std::string(text), value};
    next_ = (next_ + 1) % entries_.size();
    return value;
  }

 private:
  struct Entry {
    std::string text;
    T value{};
  };
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : reader_(text, name) {}

  Graph Parse() {
    const Header header = ReadHeader();
    ReadIds(header);
    if (header.links > reader_.bytes_left() / kShortestLink + 1) {
      FailShort(header.links);
    }
    Graph graph(header.gpus, header.nvswitches, header.switches, header.gpus_per_server,
                header.gpu_type);
    graph.ReserveLinks(header.links);
    for (std::uint64_t i = 0; i < header.links; ++i) {
      ReadLink(&graph);
    }
    ReadNodeNames(&reader_, &graph);
    CheckAttached(graph);
    return graph;
  }

 private:
  Header ReadHeader() {
    const int words = reader_.WordsOnNextLine();
    if (words == 0) {
      FailInput({reader_.where().file, 0}, "the file is empty",
                "a topology: nodes gpus_per_server nvswitches switches links gpu_type");
    }
    Header header;
    const auto nodes = reader_.RequireNumber("the number of nodes", 1, kMaxNodes);
    std::uint64_t nvswitches = 0;
    const bool simai = words != 3;
    if (simai) {
      header.gpus_per_server = Narrow(reader_.RequireNumber("GPUs per server", 1, kMaxNodes));
      nvswitches = reader_.RequireNumber("the number of NVSwitches", 0, kMaxNodes);
    }
    const auto switches = reader_.RequireNumber("the number of switches", 0, kMaxNodes);
    header.links = reader_.RequireNumber("the number of links", 0, kMaxLinks);
    if (simai) {
      header.gpu_type = reader_.Require("the GPU type, such as H100");
    }
    if (nvswitches + switches >= nodes) {
      reader_.Fail(fmt::format("{} nodes, of which {} NVSwitches and {} switches: no GPU is left",
                               nodes, nvswitches, switches),
                   "nodes = GPUs + NVSwitches + switches, with at least one GPU");
    }
    header.nvswitches = Narrow(nvswitches);
    header.switches = Narrow(switches);
    header.gpus = Narrow(nodes - nvswitches - switches);
    if (header.gpus_per_server > header.gpus) {
      reader_.Fail(fmt::format("{} GPUs per server, and {} nodes without {} NVSwitches and {} "
                               "switches are {} GPUs",
                               header.gpus_per_server, nodes, nvswitches, switches, header.gpus),
                   fmt::format("1 to {} GPUs per server", header.gpus));
    }
    return header;
  }

  void ReadIds(const Header& header) {
    const std::uint32_t nodes = header.gpus + header.nvswitches + header.switches;
    const std::uint32_t first_switch = header.gpus + header.nvswitches;
    std::vector<bool> seen(nodes, false);
    for (std::uint32_t i = header.gpus; i < nodes; ++i) {
      const bool nvswitch = i < first_switch;
      const char* name = nvswitch ? "the id of an NVSwitch" : "the id of a switch";
      const std::uint32_t low = nvswitch ? header.gpus : first_switch;
      const std::uint32_t high = nvswitch ? first_switch : nodes;
      const std::uint64_t id = reader_.RequireNumber(name, 0, nodes - 1);
      const std::string range =
          fmt::format("{} from {} to {} (ids run: {} GPUs, {} NVSwitches, {} switches)", name, low,
                      high - 1, header.gpus, header.nvswitches, header.switches);
      if (id < header.gpus) {
        reader_.Fail(fmt::format("node {} is listed as a switch, but it is a GPU's id", id), range);
      }
      if (seen[id]) {
        reader_.Fail(fmt::format("node {} is listed twice", id), range);
      }
      if (id < low || id >= high) {
        reader_.Fail(fmt::format("found node {}", id), range);
      }
      seen[id] = true;
    }
  }

  void ReadLink(Graph* graph) {
    const std::uint32_t last = graph->node_count() - 1;
    Link link;
    link.a = NodeId(Narrow(reader_.RequireNumber("a link's first node", 0, last)));
    link.b = NodeId(Narrow(reader_.RequireNumber("a link's second node", 0, last)));
    link.rate = ReadRate();
    link.delay = ReadDelay();
    link.error_rate = ReadErrors();
    if (link.a == link.b) {
      reader_.Fail("a link from " + Describe(*graph, link.a) + " to itself", "two different nodes");
    }
    for (const NodeId end : {link.a, link.b}) {
      if (graph->ports(end).size() >= kMaxPorts) {
        reader_.Fail(fmt::format("{} has too many links", Describe(*graph, end)),
                     fmt::format("at most {}", kMaxPorts));
      }
    }
    graph->AddLink(link);
  }

  BitRate ReadRate() { return ReadWord("rate", kLinkRateRange, ReadLinkRate, &rates_); }
  Time ReadDelay() { return ReadWord("delay", kLinkDelayRange, ReadLinkDelay, &delays_); }
  double ReadErrors() {
    return ReadWord("error rate", kErrorRateRange, ReadErrorRate, &error_rates_);
  }

  template <class T>
  T ReadWord(const char* what, const char* expected, std::optional<T> (*read)(std::string_view),
             TextCache<T>* cache) {
    return cache->Get(reader_.Require(expected), [&](std::string_view text) {
      const std::optional<T> value = read(text);
      if (!value) reader_.Fail(fmt::format("found {} {}", what, Quote(text)), expected);
      return *value;
    });
  }

  void CheckAttached(const Graph& graph) const {
    for (std::uint32_t i = 0; i < graph.gpu_count(); ++i) {
      if (graph.ports(NodeId(i)).empty()) {
        FailInput({reader_.where().file, 0}, fmt::format("GPU {} has no link", i),
                  "at least one link for every GPU (switches may have none)");
      }
    }
  }

  [[noreturn]] void FailShort(std::uint64_t links) const {
    reader_.Fail(
        fmt::format("the file is too short for the {} links that its first line announces", links),
        "as many lines \"a b rate delay error_rate\"");
  }

  static std::uint32_t Narrow(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

  TokenReader reader_;
  TextCache<BitRate> rates_;
  TextCache<Time> delays_;
  TextCache<double> error_rates_;
};

/// Milliseconds without an exponent and without trailing zeros: "0.0005ms".
std::string MillisecondText(Time delay) {
  constexpr std::int64_t kPicosecondsPerMs = 1'000'000'000;
  std::string text =
      fmt::format("{}.{:09}", delay.ps / kPicosecondsPerMs, delay.ps % kPicosecondsPerMs);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text + "ms";
}

}  // namespace

Graph ParseSimaiText(std::string_view text, const std::string& name) {
  return Parser(text, name).Parse();
}

Graph ReadSimaiTopology(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0 || size == std::numeric_limits<std::streamoff>::max()) {
    throw UserError(path +
                    ": cannot be read. Expected: a topology file (is the path right, and "
                    "may you read it?)");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(text.data(), size)) {
    throw UserError(path + ": cannot be read to its end");
  }
  return ParseSimaiText(text, path);
}

void WriteSimaiTopology(const Graph& graph, std::ostream& out, const TopologyFormat& format) {
  if (format.dialect == TopologyDialect::kHpcc) {
    if (graph.nvswitch_count() > 0) {
      throw UserError("HPCC's topology format has no NVSwitches. Expected: SimAI's format");
    }
    out << fmt::format("{} {} {}\n", graph.node_count(), graph.switch_count(),
                       graph.links().size());
  } else {
    out << fmt::format("{} {} {} {} {} {}\n", graph.node_count(), graph.gpus_per_server(),
                       graph.nvswitch_count(), graph.switch_count(), graph.links().size(),
                       graph.gpu_type());
  }
  fmt::memory_buffer text;
  auto append = fmt::appender(text);
  for (std::uint32_t i = graph.gpu_count(); i < graph.node_count(); ++i) {
    const bool blank = format.blank_after_ids || i + 1 < graph.node_count();
    fmt::format_to(append, blank ? "{} " : "{}", i);
  }
  text.push_back('\n');
  for (const Link& link : graph.links()) {
    fmt::format_to(append, "{} {} {} {} {}\n", link.a.value, link.b.value, ToText(link.rate),
                   MillisecondText(link.delay), link.error_rate);
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out << NodeNamesText(graph);
}

}  // namespace heddle
