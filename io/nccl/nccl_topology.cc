// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl/nccl_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/xml/xml_text.h"

namespace heddle {
namespace {

using Tree = XmlTree;

constexpr std::size_t kMostGpus = 1024;

/// Reads elements, and says which one is wrong.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  NcclTopology Read(const Tree& system) {
    Walk(system);
    std::sort(topology_.gpus.begin(), topology_.gpus.end(),
              [](const NcclGpu& a, const NcclGpu& b) { return a.device < b.device; });
    for (std::size_t i = 1; i < topology_.gpus.size(); ++i) {
      if (topology_.gpus[i].device == topology_.gpus[i - 1].device)
        Fail(fmt::format("two GPUs with dev {}", topology_.gpus[i].device), "one of each");
    }
    if (topology_.gpus.empty()) Fail("no element gpu", "a server with GPUs");
    if (topology_.gpus.size() > kMostGpus)
      Fail(fmt::format("{} GPUs", topology_.gpus.size()), fmt::format("at most {}", kMostGpus));
    return std::move(topology_);
  }

 private:
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput({file_, 0}, found, expected);
  }

  std::uint32_t Number(const Tree& element, const char* name, const char* attribute,
                       std::uint32_t most) const {
    const std::string text = XmlText(element, attribute);
    const std::optional<std::int64_t> number = ReadNumber<std::int64_t>(text);
    if (!number || *number < 0 || *number > most)
      Fail(fmt::format("element {}: {}=\"{}\"", name, attribute, Printable(text)),
           fmt::format("a number from 0 to {}", most));
    return static_cast<std::uint32_t>(*number);
  }

  /// Elements of any depth: GPUs and NICs hang under bridges of PCIe.
  void Walk(const Tree& element) {
    for (const auto& [name, child] : element) {
      if (name == "gpu") {
        AddGpu(element, child);
      } else if (name == "net") {
        topology_.nic_mbps.push_back(Number(child, "net", "speed", 10'000'000));
      } else {
        Walk(child);
      }
    }
  }

  void AddGpu(const Tree& pci, const Tree& element) {
    NcclGpu gpu;
    gpu.device = Number(element, "gpu", "dev", 65535);
    gpu.sm = Number(element, "gpu", "sm", 999);
    gpu.bus = XmlText(pci, "busid");
    for (const auto& [name, child] : element) {
      if (name == "nvlink") AddNvLink(child, &gpu);
    }
    topology_.gpus.push_back(std::move(gpu));
  }

  /// Classes of PCI: 0x0300 and 0x0302 are GPUs, 0x0680 NVSwitches.
  void AddNvLink(const Tree& element, NcclGpu* gpu) {
    NcclNvLink link;
    link.target = XmlText(element, "target");
    link.count = Number(element, "nvlink", "count", 64);
    const std::string kind = XmlText(element, "tclass");
    link.to_gpu = kind.rfind("0x0300", 0) == 0 || kind.rfind("0x0302", 0) == 0;
    if (link.count == 0) return;
    if (link.to_gpu || kind == "0x068000") {
      gpu->nvlinks.push_back(std::move(link));
    } else {
      topology_.warnings.push_back(
          fmt::format("{}: NVLinks of GPU {} to class {} are left out: only GPUs and NVSwitches "
                      "are known",
                      file_, gpu->device, Printable(kind)));
    }
  }

  const std::string& file_;
  NcclTopology topology_;
};

/// What kernels reach on an NVLink of a generation, one direction [bit/s]; 0: not known.
std::int64_t NvLinkRate(std::uint32_t sm) {
  constexpr std::int64_t kGigabyte = 8'000'000'000;
  if (sm == 60) return 18 * kGigabyte;
  if (sm == 86) return 12 * kGigabyte;
  if (sm >= 70 && sm < 90) return 20 * kGigabyte;
  if (sm == 90) return 206 * kGigabyte / 10;
  if (sm >= 100 && sm < 120) return 401 * kGigabyte / 10;
  return 0;
}

const char* TypeOf(std::uint32_t sm) {
  switch (sm) {
    case 70:
      return "V100";
    case 80:
      return "A100";
    case 90:
      return "H100";
    case 100:
      return "B200";
    default:
      return "NONE";
  }
}

/// Adds the links of a server.
class Builder {
 public:
  Builder(const NcclTopology& topology, const std::string& file)
      : topology_(topology), file_(file) {
    for (const NcclGpu& gpu : topology.gpus) {
      for (const NcclNvLink& link : gpu.nvlinks) {
        if (!link.to_gpu) switches_.push_back(link.target);
      }
    }
    std::sort(switches_.begin(), switches_.end());
    switches_.erase(std::unique(switches_.begin(), switches_.end()), switches_.end());
  }

  Graph Build() const {
    const auto gpus = static_cast<std::uint32_t>(topology_.gpus.size());
    Graph graph(gpus, static_cast<std::uint32_t>(switches_.size()), 0, gpus,
                TypeOf(topology_.gpus.front().sm));
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) AddLinks(gpu, &graph);
    return graph;
  }

 private:
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const {
    FailInput({file_, 0}, found, expected);
  }

  void AddLinks(std::uint32_t gpu, Graph* graph) const {
    const NcclGpu& from = topology_.gpus[gpu];
    if (from.nvlinks.empty() && topology_.gpus.size() > 1)
      Fail(fmt::format("GPU {} has no NVLinks", from.device),
           "a server whose GPUs have NVLinks, as PCIe is not modelled");
    const BitRate rate{NvLinkRate(from.sm)};
    if (rate.bps == 0 && !from.nvlinks.empty())
      Fail(fmt::format("GPU {}: NVLinks of sm {}", from.device, from.sm),
           "sm 60, 70 to 90, or 100 to 119");
    for (const NcclNvLink& link : from.nvlinks) {
      const std::uint32_t to = link.to_gpu ? OtherGpu(from, link) : SwitchOf(link);
      if (link.to_gpu && to < gpu) continue;  // the other end has added it
      graph->AddLink({NodeId(gpu), NodeId(to), BitRate{rate.bps * link.count}, NanoSeconds(25)});
    }
  }

  std::uint32_t SwitchOf(const NcclNvLink& link) const {
    const auto at = std::lower_bound(switches_.begin(), switches_.end(), link.target);
    return static_cast<std::uint32_t>(topology_.gpus.size() +
                                      static_cast<std::size_t>(at - switches_.begin()));
  }

  /// The GPU at the other end, which must have as many links back.
  std::uint32_t OtherGpu(const NcclGpu& from, const NcclNvLink& link) const {
    const auto other = std::find_if(topology_.gpus.begin(), topology_.gpus.end(),
                                    [&](const NcclGpu& gpu) { return gpu.bus == link.target; });
    if (other == topology_.gpus.end() || other->bus == from.bus)
      Fail(fmt::format("GPU {}: an nvlink with target=\"{}\"", from.device, Printable(link.target)),
           "the busid of another GPU");
    std::uint32_t back = 0, there = 0;
    for (const NcclNvLink& of_other : other->nvlinks)
      back += of_other.target == from.bus ? of_other.count : 0;
    for (const NcclNvLink& of_from : from.nvlinks)
      there += of_from.target == link.target ? of_from.count : 0;
    if (back != there)
      Fail(fmt::format("{} NVLinks from GPU {} to GPU {}, and {} back", there, from.device,
                       other->device, back),
           "as many");
    return static_cast<std::uint32_t>(other - topology_.gpus.begin());
  }

  const NcclTopology& topology_;
  const std::string& file_;
  std::vector<std::string> switches_;  ///< bus ids, ascending
};

}  // namespace

NcclTopology ParseNcclTopology(const std::string& text, const std::string& file) {
  const XmlTree system = ParseXml(text, file, {"a topology of NCCL", "system"});
  NcclTopology topology = Reader(file).Read(system);
  if (!topology.nic_mbps.empty()) {
    topology.warnings.push_back(fmt::format(
        "{}: {} NICs, of {} Gbit/s at most, lead to no switch here: the fabric is this server "
        "alone; heddle topo makes fabrics of several",
        file, topology.nic_mbps.size(),
        *std::max_element(topology.nic_mbps.begin(), topology.nic_mbps.end()) / 1000));
  }
  return topology;
}

Graph MakeNcclGraph(const NcclTopology& topology, const std::string& file) {
  return Builder(topology, file).Build();
}

}  // namespace heddle
