// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/scale_up_topo.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "topology/generate/flag_set.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

constexpr const char* kTorus = "HierarchicalTorus";
constexpr const char* kAllToAll = "HierarchicalAllToAll";

/// Flags with Table IV's values. Rates and delays keep their text, as FlagSet has it.
struct Values {
  explicit Values(bool is_torus) : torus(is_torus), dims(is_torus ? "2x4x4" : "2x16") {}

  bool torus;
  std::string dims;
  std::uint32_t local_rings = 2, horizontal_rings = 2, vertical_rings = 2, links = 7;
  std::string local_rate = "1600Gbps", package_rate = "200Gbps";
  std::string local_delay = "90ns", package_delay = "200ns", router_delay = "1ns";
  std::uint32_t local_packet = 512, package_packet = 256, flit = 128, channels = 50, buffer = 5000;
  std::string efficiency = "0.94";

  void Declare(FlagSet* flags);
};

void Values::Declare(FlagSet* flags) {
  using Kind = FlagSet::Kind;
  constexpr std::uint32_t kMostLanes = 1024, kMostPacket = 1U << 19;
  flags->AddSizes({"dims", "dimensions",
                   torus ? "local x horizontal x vertical" : "local x packages", "dimensions"},
                  &dims, 1, kMaxNodes, torus ? "2x4x4" : "2x16");
  flags->AddCount({"lr", "local_rings", "rings of a package, in one direction", "local rings"},
                  &local_rings, 1, kMostLanes);
  if (torus) {
    flags->AddCount(
        {"hr", "horizontal_rings", "rings of a row, in both directions", "horizontal rings"},
        &horizontal_rings, 1, kMostLanes);
    flags->AddCount(
        {"vr", "vertical_rings", "rings of a column, in both directions", "vertical rings"},
        &vertical_rings, 1, kMostLanes);
  } else {
    flags->AddCount({"l", "links", "links of an NPU, each to a switch of its own", "links"}, &links,
                    1, kMostLanes);
  }
  flags->AddLinkValue({"lbw", "local_bandwidth", "rate of a link in a package", "local rate"},
                      Kind::kRate, &local_rate);
  flags->AddLinkValue(
      {"pbw", "package_bandwidth", "rate of a link between packages", "rate between packages"},
      Kind::kRate, &package_rate);
  flags->AddLinkValue({"ll", "local_latency", "of a link in a package", "local latency"},
                      Kind::kDelay, &local_delay);
  flags->AddLinkValue(
      {"pl", "package_latency", "of a link between packages", "latency between packages"},
      Kind::kDelay, &package_delay);
  flags->AddLinkValue({"rl", "router_latency", "of a router", "router latency"}, Kind::kDelay,
                      &router_delay);
  flags->AddCount({"lp", "local_packet", "bytes of a packet in a package", "local packet"},
                  &local_packet, 1, kMostPacket);
  flags->AddCount({"pp", "package_packet", "bytes of a packet between packages", "packet"},
                  &package_packet, 1, kMostPacket);
  flags->AddCount({"fl", "flit", "bytes of a flit", "flit"}, &flit, 1, 1U << 20);
  flags->AddCount({"vc", "channels", "virtual channels of a link", "virtual channels"}, &channels,
                  1, 255);
  flags->AddCount({"buf", "buffer", "flits that a channel's far end holds", "buffer"}, &buffer, 1,
                  1'000'000'000);
  flags->AddRatio({"eff", "efficiency", "share of the rate that packets get", "efficiency"},
                  &efficiency);
}

/// The fabric that a word names; empty if none.
std::string NameOf(const std::string& word) {
  for (const char* name : {kTorus, kAllToAll}) {
    if (IsSameFabric(name, word)) return name;
  }
  return "";
}

/// Nanoseconds and Gbps are whole in network files.
std::int64_t WholeUnits(const std::string& fabric, const FlagSet& flags, const char* flag,
                        bool rate) {
  const FlagSet::Flag& found = *flags.Find(flag);
  const std::int64_t value = rate ? ParseBitRate(found.Value()).bps : ParseTime(found.Value()).ps;
  const std::int64_t unit = rate ? 1'000'000'000 : 1'000;
  if (value > 0 && value % unit == 0) return value / unit;
  RefuseFabric(fabric, fmt::format("{} {} (-{})", found.about.subject, found.Value(), flag),
               rate ? "a whole number of Gbps, as network files have them"
                    : "a whole number of nanoseconds, as network files have them");
}

void SetLinks(const std::string& fabric, const FlagSet& flags, const Values& values, bool local,
              NetworkDimension* line) {
  line->rate = BitRate{WholeUnits(fabric, flags, local ? "lbw" : "pbw", true) * 1'000'000'000};
  line->latency = NanoSeconds(WholeUnits(fabric, flags, local ? "ll" : "pl", false));
  line->router_latency = NanoSeconds(WholeUnits(fabric, flags, "rl", false));
  line->level.name = local ? "local" : "package";
  line->level.packet_bytes = local ? values.local_packet : values.package_packet;
  line->level.efficiency = ReadRatio(values.efficiency).value_or(0);
  line->level.flit_bytes = values.flit;
  line->level.virtual_channels = values.channels;
  line->level.buffer_flits = values.buffer;
  const std::int64_t needed = (line->level.packet_bytes + values.flit - 1) / values.flit;
  if (line->size > 1 && values.buffer < needed) {
    RefuseFabric(fabric, fmt::format("buffers of {} flits (-buf)", values.buffer),
                 fmt::format("at least {}, as a packet of {} bytes has so many", needed,
                             line->level.packet_bytes));
  }
}

ScaleUpNetwork NetworkOf(const std::string& fabric, const FlagSet& flags, const Values& values) {
  const std::vector<std::uint32_t> sizes = ReadSizes(values.dims, 1, kMaxNodes).value();
  const std::size_t count = values.torus ? 3 : 2;
  if (sizes.size() != count)
    RefuseFabric(fabric, fmt::format("{} dimensions in {} (-dims)", sizes.size(), values.dims),
                 values.torus ? "3: local x horizontal x vertical" : "2: local x packages");
  std::uint64_t npus = 1;
  for (const std::uint32_t size : sizes) npus *= size;
  if (npus < 2 || npus > kMaxNodes)
    RefuseFabric(fabric, fmt::format("{} NPUs in {} (-dims)", npus, values.dims),
                 fmt::format("2 to {}", kMaxNodes));
  const std::optional<double> share = ReadRatio(values.efficiency);
  if (!share || *share > 1)
    RefuseFabric(fabric, fmt::format("efficiency {} (-eff)", values.efficiency),
                 "above 0, at most 1");
  ScaleUpNetwork network;
  network.dimensions.resize(count);
  const std::uint32_t rings[] = {values.local_rings, values.horizontal_rings,
                                 values.vertical_rings};
  for (std::size_t d = 0; d < count; ++d) {
    NetworkDimension& line = network.dimensions[d];
    line.size = sizes[d];
    line.clockwise = rings[d];
    line.anticlockwise = d == 0 ? 0 : rings[d];
    if (!values.torus && d == 1) {
      line.kind = Dimension::Kind::kSwitch;
      line.clockwise = values.links;
      line.anticlockwise = 0;
    }
    SetLinks(fabric, flags, values, d == 0, &line);
  }
  return network;
}

[[noreturn]] void RefuseFlag(const std::string& word, const FlagSet& flags) {
  std::vector<std::string> names = {"o", "output", "force"};
  for (const FlagSet::Flag& flag : flags.flags())
    names.insert(names.end(), {flag.about.brief, flag.about.name});
  throw UsageError(
      fmt::format("unknown flag {}.{} Expected: a flag of the fabric (heddle topo "
                  "FABRIC --help lists them)",
                  Printable(word), DidYouMean(word, names)));
}

/// Takes flags with their values, in the same word after '=' or in the next one.
void TakeFlags(const std::vector<std::string>& words, FlagSet* flags, ScaleUpTopo* topo) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-')
      throw UsageError(fmt::format("found {}. Expected: a flag", Quote(word)));
    std::string name = word.substr(word[1] == '-' ? 2 : 1);
    if (name == "force") {
      topo->force = true;
      continue;
    }
    const std::size_t equals = name.find('=');
    std::string value = equals == std::string::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    const bool is_output = name == "o" || name == "output";
    if (!is_output && flags->Find(name) == nullptr) RefuseFlag(name, *flags);
    if (equals == std::string::npos && i + 1 < words.size()) value = words[++i];
    if (value.empty())
      throw UsageError(fmt::format("flag -{} has no value. Expected: one in the next word", name));
    if (is_output) {
      topo->output = value;
    } else {
      flags->Set(name, value);
    }
  }
}

}  // namespace

bool IsScaleUpTopo(const std::vector<std::string>& arguments) {
  return !arguments.empty() && !NameOf(arguments[0]).empty();
}

ScaleUpTopo ParseScaleUpTopo(const std::vector<std::string>& arguments) {
  const std::string fabric = NameOf(arguments[0]);
  Values values(fabric == kTorus);
  FlagSet flags;
  values.Declare(&flags);
  ScaleUpTopo topo;
  TakeFlags(arguments, &flags, &topo);
  flags.CheckCounts(fabric);
  flags.CheckTexts(fabric);
  topo.network = NetworkOf(fabric, flags, values);
  return topo;
}

std::string ScaleUpTopoHelp(const std::vector<std::string>& arguments) {
  const std::string fabric = NameOf(arguments[0]);
  Values values(fabric == kTorus);
  FlagSet flags;
  values.Declare(&flags);
  std::string text = fmt::format("{}: {}\n\nFlags, with their defaults:\n", fabric,
                                 values.torus ? "packages of NPUs, rings within and between them"
                                              : "packages of NPUs, switches between them");
  for (const FlagSet::Flag& flag : flags.flags()) {
    text += fmt::format("  {:<32} {} [{}]\n",
                        fmt::format("-{}, --{}", flag.about.brief, flag.about.name),
                        flag.about.help, flag.Value());
  }
  text += "  -o, --output FILE                where to write a network file of ASTRA-SIM 1.0\n";
  return text + "  --force                          replace an existing file\n";
}

std::string ScaleUpTopoList() {
  return fmt::format("  {:<24} {}\n  {:<24} {}\n", kTorus,
                     "NPUs on rings: local, horizontal, vertical (ASTRA-SIM)", kAllToAll,
                     "NPUs on local rings, packages on switches (ASTRA-SIM)");
}

std::vector<std::string> ScaleUpTopoNames() { return {kTorus, kAllToAll}; }

std::vector<TemplateFlag> ScaleUpTopoFlags() {
  std::vector<TemplateFlag> all;
  for (const bool torus : {true, false}) {
    Values values(torus);
    FlagSet flags;
    values.Declare(&flags);
    for (const FlagSet::Flag& flag : flags.flags()) {
      bool known = false;
      for (const TemplateFlag& other : all) known = known || other.name == flag.about.name;
      if (!known) all.push_back({flag.about.brief, flag.about.name, flag.about.help});
    }
  }
  return all;
}

}  // namespace heddle
