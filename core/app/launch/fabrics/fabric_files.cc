// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/app/base/routing/fabric_input.h"
#include "core/app/views/inspect/template_flags.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "topology/generate/fabric_plan.h"
#include "topology/generate/server_options.h"
#include "topology/generate/switch_size.h"
#include "topology/graph/oversubscription.h"

namespace heddle {
namespace {

bool IsSwitch(const Graph& graph, NodeId node) { return graph.kind(node) == NodeKind::kSwitch; }
bool IsNvSwitch(const Graph& graph, NodeId node) { return graph.kind(node) == NodeKind::kNvSwitch; }

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A fabric by name, with this rate on each link from a GPU to a switch.
FabricPlan PlanOf(const std::vector<std::string>& words, const FabricArguments& given,
                  const std::string& rate, std::string* name, std::vector<std::string>* notes) {
  std::vector<std::string> flags = words;
  const auto has = [&](const std::vector<std::string>& names) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(names.begin(), names.end(), word) != names.end();
    });
  };
  if (has({"-o", "--output", "--force"}))
    throw UsageError(
        "-o and --force are not the fabric's. Expected: its own flags, such as -npa 16");
  const bool own_gpus = has({"-g", "--gpu", "--gpus"});
  if (given.gpus > 0 && !own_gpus) flags.insert(flags.end(), {"-g", std::to_string(given.gpus)});
  if ((given.gpus > 0 || own_gpus) && !has({"-ov", "--oversubscription"}))
    flags.insert(flags.end(), {"--oversubscription", given.oversubscription});
  if (!has({"-gps", "--gpu_per_server"}))
    flags.insert(flags.end(), {"-gps", std::to_string(given.gpus_per_server)});
  if (!rate.empty()) flags.insert(flags.end(), {"-bw", rate});
  ParsedTemplate parsed = ParseTemplateFlags(flags);
  SetNvLinksByGpuType(&parsed.flags);
  *name = parsed.name;
  *notes = parsed.maker->Notes(parsed.flags);
  return parsed.maker->Plan(parsed.flags);
}

/// "200Gbps": an equal share of `rate` for each of a GPU's ports.
std::string ShareOf(const std::string& rate, std::uint32_t ports) {
  const BitRate all = ParseBitRate(rate);
  if (all.bps <= 0 || all.bps % ports != 0) {
    throw UserError(fmt::format("--nic {}: {} ports a GPU cannot share it in whole bit/s",
                                Printable(rate), ports));
  }
  return ToText(BitRate{all.bps / ports});
}

/// What of a fabric by name is not as one would expect of the words.
void AddNotes(const FabricArguments& given, const std::vector<std::string>& words,
              ComparedFabric* fabric) {
  const FabricParts& parts = fabric->parts;
  if (parts.leaves == 1 && parts.switches > 1) {
    fabric->notes.push_back(
        fmt::format("all GPUs are under one leaf, so no byte passes the other {} switches; -npa N, "
                    "in quotes with the name, makes leaves of N GPUs",
                    parts.switches - 1));
  }
  const bool own_ratio = std::any_of(words.begin(), words.end(), [](const std::string& flag) {
    return flag == "-ov" || flag == "--oversubscription";
  });
  const double asked = std::strtod(given.oversubscription.c_str(), nullptr);
  if (!own_ratio && asked > 0 && parts.oversubscription > 0 &&
      std::abs(parts.oversubscription / asked - 1) > 0.01) {
    fabric->notes.push_back(
        fmt::format("its numbers of cables give {:.3g} : 1, where --oversubscription asks for "
                    "{:.3g} : 1",
                    parts.oversubscription, asked));
  }
}

ComparedFabric ByName(const std::string& word, const FabricArguments& given) {
  ComparedFabric fabric;
  const std::vector<std::string> words = WordsOf(word);
  FabricPlan plan = PlanOf(words, given, "", &fabric.name, &fabric.notes);
  const std::uint32_t ports = PartsOf(MakeGraph(plan)).gpu_ports;
  const bool own_rate = std::any_of(words.begin(), words.end(), [](const std::string& flag) {
    return flag == "-bw" || flag == "--bandwidth";
  });
  if (ports > 0 && !own_rate)
    plan = PlanOf(words, given, ShareOf(given.nic, ports), &fabric.name, &fabric.notes);
  fabric.parts = PartsOf(MakeGraph(plan));
  fabric.text = PlanText(plan);
  if (std::string note = SwitchSizeNote(plan); !note.empty())
    fabric.notes.push_back(std::move(note));
  AddNotes(given, words, &fabric);
  return fabric;
}

ComparedFabric FromFile(const std::string& file) {
  ComparedFabric fabric;
  fabric.name = std::filesystem::path(file).stem().string();
  fabric.file = file;
  FabricInput input = ReadFabric(file, {});
  fabric.parts = PartsOf(*input.graph);
  fabric.notes = input.warnings;
  return fabric;
}

/// Numbers fabrics of one name, so that their files and results differ.
void MakeNamesUnique(std::vector<ComparedFabric>* fabrics) {
  std::map<std::string, int> count;
  for (const ComparedFabric& fabric : *fabrics) ++count[fabric.name];
  std::map<std::string, int> next;
  for (ComparedFabric& fabric : *fabrics) {
    if (count[fabric.name] < 2) continue;
    std::string name;
    do {
      name = fmt::format("{}-{}", fabric.name, ++next[fabric.name]);
    } while (count.count(name) > 0);
    fabric.name = name;
  }
}

}  // namespace

FabricParts PartsOf(const Graph& graph) {
  FabricParts parts;
  parts.gpus = graph.gpu_count();
  std::vector<double> rates(parts.gpus, 0);
  std::vector<std::uint32_t> ports(parts.gpus, 0);
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    if (!IsSwitch(graph, NodeId(node))) continue;
    ++parts.switches;
    const auto& peers = graph.ports(NodeId(node));
    parts.leaves += std::any_of(peers.begin(), peers.end(),
                                [&](const Attachment& port) { return graph.is_gpu(port.peer); });
  }
  for (const TierBandwidth& tier : TierBandwidths(graph)) {
    if (!tier.is_top()) parts.oversubscription = std::max(parts.oversubscription, tier.ratio());
  }
  for (const Link& link : graph.links()) {
    if (IsNvSwitch(graph, link.a) || IsNvSwitch(graph, link.b)) continue;
    const int at_switches = (IsSwitch(graph, link.a) ? 1 : 0) + (IsSwitch(graph, link.b) ? 1 : 0);
    parts.switch_ports += static_cast<std::uint64_t>(at_switches);
    ++(at_switches == 2 ? parts.cables : parts.gpu_cables);
    for (const NodeId end : {link.a, link.b}) {
      if (end.value >= parts.gpus) continue;
      rates[end.value] += static_cast<double>(link.rate.bps);
      ++ports[end.value];
    }
  }
  if (parts.gpus > 0) {
    parts.gpu_rate = *std::min_element(rates.begin(), rates.end());
    parts.gpu_ports = *std::min_element(ports.begin(), ports.end());
  }
  return parts;
}

std::vector<ComparedFabric> ChooseFabrics(const FabricArguments& given) {
  std::vector<ComparedFabric> fabrics;
  for (const std::string& word : given.fabrics) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(word, ignored)) {
      fabrics.push_back(FromFile(word));
      if (given.gpus > 0 && fabrics.back().parts.gpus != given.gpus) {
        throw UserError(fmt::format(
            "{} has {} GPUs, and -g says {}. Expected: as many, or no -g where all are files",
            Printable(word), fabrics.back().parts.gpus, given.gpus));
      }
      continue;
    }
    if (given.gpus == 0 && word.find(' ') == std::string::npos) {
      throw UsageError(fmt::format(
          "{}: no such file, and of a fabric by name -g says how many GPUs it has. Expected: "
          "-g N, or a topology file",
          Printable(word)));
    }
    try {
      fabrics.push_back(ByName(word, given));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", Printable(word), error.what()));
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: {}", Printable(word), error.what()));
    }
  }
  MakeNamesUnique(&fabrics);
  for (ComparedFabric& fabric : fabrics) {
    if (fabric.file.empty())
      fabric.file = (std::filesystem::path(given.folder) / (fabric.name + ".txt")).string();
    if (fabric.parts.gpus != fabrics.front().parts.gpus) {
      throw UserError(fmt::format("{} has {} GPUs, {} has {}. Expected: as many in each",
                                  fabrics.front().name, fabrics.front().parts.gpus, fabric.name,
                                  fabric.parts.gpus));
    }
  }
  return fabrics;
}

}  // namespace heddle
