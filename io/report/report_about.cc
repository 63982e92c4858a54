// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <filesystem>

#include "io/report/report_parts.h"

namespace heddle {
namespace {

std::string AsText(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
    return fmt::format("{}", *whole);
  return fmt::format("{:g}", std::get<double>(attribute.value));
}

/// Every option whose value differs from the default; the default of a key that this program does
/// not know is null.
Json ChangedOptions(const ReportSource& source, const OptionDefaults& defaults) {
  constexpr std::string_view kPrefix = "option ";
  Json changed = Json::array();
  for (const auto& [name, attribute] : source.root().all()) {
    if (name.compare(0, kPrefix.size(), kPrefix) != 0) continue;
    const std::string key = name.substr(kPrefix.size());
    const std::string value = AsText(attribute);
    const auto usual = defaults.find(key);
    if (usual != defaults.end() && usual->second == value) continue;
    changed.push_back({{"key", key},
                       {"value", value},
                       {"usual", usual == defaults.end() ? Json() : Json(usual->second)}});
  }
  return changed;
}

/// The name of a congestion control from SimAI's number.
std::string ControlName(const std::string& number) {
  static const std::map<std::string, std::string> names = {{"0", "no congestion control"},
                                                           {"1", "DCQCN"},
                                                           {"3", "HPCC"},
                                                           {"7", "TIMELY"},
                                                           {"8", "DCTCP"},
                                                           {"10", "HPCC-PINT"}};
  const auto found = names.find(number);
  return found == names.end() ? "congestion control " + (number.empty() ? "not known" : number)
                              : found->second;
}

Json Fabric(const ReportSource& source) {
  const Graph& graph = source.graph();
  Json tiers = Json::array();
  for (std::uint32_t tier = 0; tier < source.tiers().names().size(); ++tier) {
    tiers.push_back(
        {{"name", source.tiers().names()[tier]}, {"links", source.tiers().links(tier)}});
  }
  return {{"gpus", graph.gpu_count()},
          {"gpu_type", graph.gpu_type()},
          {"gpus_per_server", graph.gpus_per_server()},
          {"nvswitches", graph.nvswitch_count()},
          {"switches", graph.switch_count()},
          {"cables", graph.links().size()},
          {"tiers", tiers}};
}

}  // namespace

Json ReportAbout(const ReportSource& source, const OptionDefaults& defaults) {
  Json about = {{"file", source.path()},
                {"fabric", Fabric(source)},
                {"options", ChangedOptions(source, defaults)}};
  Json digests = Json::array(), facts = Json::array();
  for (const auto& [name, attribute] : source.root().all()) {
    if (name.size() > 7 && name.compare(name.size() - 7, 7, "_digest") == 0) {
      digests.push_back({{"name", name.substr(0, name.size() - 7)}, {"value", AsText(attribute)}});
    }
  }
  about["digests"] = digests;
  const auto fact = [&](const char* label, const AttributeMap& attributes, const char* name) {
    const auto found = attributes.all().find(name);
    if (found != attributes.all().end())
      facts.push_back({{"label", label}, {"value", AsText(found->second)}});
  };
  fact("Version", source.root(), "heddle_version");
  fact("Started", source.run(), "started");
  facts.push_back({{"label", "Backend"}, {"value", source.backend()}});
  fact("Seed", source.root(), "seed");
  fact("Ranks", source.run(), "ranks");
  fact("Engine", source.run(), "engine");
  fact("Partition", source.run(), "partition");
  fact("Grain", source.run(), "grain");
  fact("Records of flows", source.root(), "flows_recorded");
  fact("MPI", source.run(), "mpi");
  fact("HDF5", source.run(), "hdf5");
  fact("ns-3", source.run(), "ns3");
  fact("Compiler", source.run(), "compiler");
  about["facts"] = facts;
  about["whole"] = !source.carries_flows();
  about["command"] = source.root().Text("command_line").value_or("");
  about["control"] =
      source.carries_flows()
          ? ControlName(source.root().Text("option transport.congestion_control").value_or(""))
          : "closed forms instead of packets";
  return about;
}

}  // namespace heddle
