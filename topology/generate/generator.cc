// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/base/nearest_name.h"
#include "core/base/token_reader.h"
#include "topology/files/link_text.h"
#include "topology/generate/wiring.h"

namespace heddle {
namespace {

[[noreturn]] void Refuse(const Template& t, const std::string& found, const std::string& expected) {
  throw UserError(fmt::format("{}: {}. Expected: {}", t.name, found, expected));
}

void CheckCounts(const Template& t, const TemplateOptions& o) {
  const std::pair<const char*, std::uint32_t> positive[] = {
      {"GPUs (-g)", o.gpus},
      {"GPUs per server (-gps)", o.gpus_per_server},
      {"NICs per leaf (-npa)", o.nics_per_asw},
      {"spine switches (-psn)", o.psw_switches},
      {"leaves per spine (-app)", o.asws_per_psw}};
  for (const auto& [name, value] : positive) {
    if (value == 0 || value > kMaxNodes) {
      Refuse(t, fmt::format("{} {}", value, name), fmt::format("1 to {}", kMaxNodes));
    }
  }
  if (o.nvswitches_per_server > kMaxPorts) {
    Refuse(t, fmt::format("{} NVSwitches per server (-nsps)", o.nvswitches_per_server),
           fmt::format("at most {}", kMaxPorts));
  }
  if (o.gpus % o.gpus_per_server != 0) {
    Refuse(t, fmt::format("{} GPUs (-g) in servers of {} (-gps)", o.gpus, o.gpus_per_server),
           fmt::format("a multiple of {}, such as {}", o.gpus_per_server,
                       DivideUp(o.gpus, o.gpus_per_server) * o.gpus_per_server));
  }
  if (o.psw_switches % t.planes != 0) {
    Refuse(t, fmt::format("{} spine switches (-psn) for {} planes", o.psw_switches, t.planes),
           "an even number");
  }
}

/// SimAI's bound: the leaf ports of a spine, over the leaves that a segment has in its plane.
void CheckSegments(const Template& t, const TemplateOptions& o) {
  const std::uint32_t leaves = t.asws_per_segment(o) / t.planes;
  const std::uint32_t segments = t.segments(o);
  if (segments > o.asws_per_psw / leaves) {
    Refuse(
        t,
        fmt::format("{} segments with {} leaves each do not fit spines with {} leaf ports (-app)",
                    segments, leaves, o.asws_per_psw),
        fmt::format("-app {} or more, or more NICs per leaf (-npa), or fewer GPUs (-g)",
                    std::uint64_t{segments} * leaves));
  }
}

void CheckSize(const Template& t, const TemplateOptions& o) {
  const std::uint64_t asws = std::uint64_t{t.segments(o)} * t.asws_per_segment(o);
  const std::uint64_t nodes = o.gpus +
                              std::uint64_t{o.gpus / o.gpus_per_server} * o.nvswitches_per_server +
                              asws + o.psw_switches;
  const std::uint64_t links = std::uint64_t{o.gpus} * (o.nvswitches_per_server + t.leaves_of_gpu) +
                              asws * (o.psw_switches / t.planes);
  if (nodes > kMaxNodes || links > kMaxLinks) {
    Refuse(t, fmt::format("{} nodes and {} links", nodes, links),
           fmt::format("at most {} nodes and {} links", kMaxNodes, kMaxLinks));
  }
}

/// That the text can stand in a topology file, where it goes as it is.
template <class T>
void CheckLinkText(const Template& t, const char* name, const std::string& text,
                   std::optional<T> (*read)(std::string_view), const char* expected) {
  if (!read(text)) Refuse(t, fmt::format("{} {}", name, Quote(text)), expected);
}

void CheckTexts(const Template& t, const TemplateOptions& o) {
  const bool blank =
      std::any_of(o.gpu_type.begin(), o.gpu_type.end(), [](unsigned char c) { return c <= ' '; });
  if (o.gpu_type.empty() || blank) {
    Refuse(t, "GPU type (-gt) " + Quote(o.gpu_type), "one word, such as H100");
  }
  CheckLinkText(t, "rate of NVLinks (-nvbw)", o.nvlink_bandwidth, ReadLinkRate, kLinkRateRange);
  CheckLinkText(t, "rate GPU-leaf (-bw)", o.bandwidth, ReadLinkRate, kLinkRateRange);
  CheckLinkText(t, "rate leaf-spine (-apbw)", o.asw_psw_bandwidth, ReadLinkRate, kLinkRateRange);
  CheckLinkText(t, "delay of NVLinks (-nl)", o.nvlink_latency, ReadLinkDelay, kLinkDelayRange);
  CheckLinkText(t, "delay (-l)", o.latency, ReadLinkDelay, kLinkDelayRange);
  CheckLinkText(t, "error rate (-er)", o.error_rate, ReadErrorRate, kErrorRateRange);
}

/// A node with more links than the reader takes.
void CheckPorts(const Template& t, const Wiring& wiring) {
  std::vector<std::uint32_t> ports(wiring.gpus + wiring.nvswitches + wiring.asws + wiring.psws);
  for (const Wiring::Cable& cable : wiring.cables) {
    for (const std::uint32_t end : {cable.a, cable.b}) {
      if (++ports[end] > kMaxPorts) {
        Refuse(t, fmt::format("more than {} links at node {}", kMaxPorts, end),
               "fewer GPUs a server (-gps), NVSwitches (-nsps), NICs per leaf (-npa) or spines "
               "(-psn)");
      }
    }
  }
}

Wiring Build(const Template& t, const TemplateOptions& options) {
  CheckCounts(t, options);
  CheckSegments(t, options);
  CheckSize(t, options);
  CheckTexts(t, options);
  Wiring wiring = t.build(options);
  CheckPorts(t, wiring);
  return wiring;
}

}  // namespace

const std::vector<Template>& Templates() {
  static const std::vector<Template> kTemplates = {
      SpectrumX(), AlibabaHpnSinglePlane(), AlibabaHpnDualPlane(), DcnSingleTor(), DcnDualTor()};
  return kTemplates;
}

const Template& FindTemplate(const std::string& name) {
  std::vector<std::string> names;
  for (const Template& t : Templates()) {
    if (t.name == name) {
      return t;
    }
    names.push_back(t.name);
  }
  throw UserError(fmt::format("unknown template \"{}\". Expected: {} (nearest: {})",
                              Printable(name), fmt::join(names, ", "), Nearest(name, names)));
}

Graph Generate(const std::string& template_name, const TemplateOptions& options) {
  const Template& t = FindTemplate(template_name);
  const Wiring wiring = Build(t, options);
  Graph graph(wiring.gpus, wiring.nvswitches, wiring.asws + wiring.psws, options.gpus_per_server,
              options.gpu_type);
  graph.ReserveLinks(wiring.cables.size());
  const BitRate rates[] = {ParseBitRate(options.nvlink_bandwidth), ParseBitRate(options.bandwidth),
                           ParseBitRate(options.asw_psw_bandwidth)};
  const Time nvlink_latency = ParseTime(options.nvlink_latency);
  const Time latency = ParseTime(options.latency);
  const double error_rate = ReadErrorRate(options.error_rate).value();
  for (const Wiring::Cable& cable : wiring.cables) {
    graph.AddLink({NodeId(cable.a), NodeId(cable.b), rates[static_cast<int>(cable.kind)],
                   cable.kind == CableKind::kNvLink ? nvlink_latency : latency, error_rate});
  }
  return graph;
}

std::string GenerateText(const std::string& template_name, const TemplateOptions& options) {
  const Wiring wiring = Build(FindTemplate(template_name), options);
  const std::uint32_t nodes = wiring.gpus + wiring.nvswitches + wiring.asws + wiring.psws;
  std::string text =
      fmt::format("{} {} {} {} {} {}\n", nodes, options.gpus_per_server, wiring.nvswitches,
                  wiring.asws + wiring.psws, wiring.cables.size(), options.gpu_type);
  auto append = std::back_inserter(text);
  for (std::uint32_t id = wiring.gpus; id < nodes; ++id) {
    fmt::format_to(append, "{} ", id);
  }
  text += '\n';
  const std::string fabric = " " + options.latency + " " + options.error_rate + "\n";
  const std::string tails[] = {
      options.nvlink_bandwidth + " " + options.nvlink_latency + " " + options.error_rate + "\n",
      options.bandwidth + fabric, options.asw_psw_bandwidth + fabric};
  for (const Wiring::Cable& cable : wiring.cables) {
    fmt::format_to(append, "{} {} {}", cable.a, cable.b, tails[static_cast<int>(cable.kind)]);
  }
  return text;
}

std::vector<std::string> TemplateNotes(const std::string& template_name,
                                       const TemplateOptions& options) {
  const Template& t = FindTemplate(template_name);
  CheckCounts(t, options);
  const std::uint64_t asws = std::uint64_t{t.segments(options)} * t.asws_per_segment(options);
  if (asws == options.asw_switches) {
    return {};
  }
  return {fmt::format("{} leaf switches follow from -g, -gps and -npa; -asn {} has no effect", asws,
                      options.asw_switches)};
}

}  // namespace heddle
