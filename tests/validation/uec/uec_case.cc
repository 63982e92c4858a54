// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/uec/uec_case.h"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/validation/uec/uec_fabric.h"
#include "tests/validation/uec/uec_traffic.h"

namespace heddle::testing {
namespace {

struct Name {
  std::string fabric, traffic, paths, control, special;
  std::uint32_t slow_links = 0;
};

Name Split(const std::string& text) {
  std::istringstream in(text);
  Name name;
  for (std::string* part : {&name.fabric, &name.traffic, &name.paths, &name.control, &name.special})
    std::getline(in, *part, '-');
  if (name.special.rfind("fail", 0) == 0) {
    const std::size_t end = name.special.find_first_not_of("0123456789", 4);
    name.slow_links = static_cast<std::uint32_t>(std::stoul(name.special.substr(4)));
    name.special = end == std::string::npos ? "" : name.special.substr(end);
  }
  return name;
}

/// Packets of a bandwidth-delay product on fabrics of two tiers, rounded up: R = 8.337 us.
constexpr double kBdpPackets = 101;

/// Of the bandwidth-delay product, so that rounding up gives this number of packets.
std::string Packets(double packets) { return fmt::format("{:.6f}", (packets - 0.5) / kBdpPackets); }

void AddPaths(const Name& name, std::vector<std::string>* settings) {
  std::string scheme = name.paths;
  if (const std::size_t sack = scheme.find("sack1"); sack != std::string::npos) {
    scheme = scheme.substr(0, sack);
    settings->push_back("uec.ack_threshold=4000");
  }
  std::string paths = "64";
  if (const std::size_t number = scheme.find_first_of("0123456789"); number != std::string::npos) {
    paths = scheme.substr(number);
    scheme = scheme.substr(0, number);
  }
  static const std::map<std::string, std::string> kSchemes = {
      {"ecmp", "flow"}, {"obl", "oblivious"}, {"bitmap", "bitmap"}, {"reps", "reps"},
      {"rep", "reps"},  {"mixed", "mixed"},   {"mix", "mixed"}};
  const auto found = kSchemes.find(scheme);
  if (found == kSchemes.end()) throw std::runtime_error("no scheme " + name.paths);
  settings->push_back("entropy.scheme=" + found->second);
  if (scheme != "ecmp") settings->push_back("entropy.paths=" + paths);
}

void AddSpecial(const std::string& special, std::vector<std::string>* settings) {
  const auto add = [&](std::initializer_list<std::string> more) {
    settings->insert(settings->end(), more);
  };
  if (special.empty()) return;
  if (special == "rr") return add({"balance.ports=round-robin"});
  if (special == "arpkt") return add({"balance.ports=adaptive", "entropy.scheme=flow"});
  if (special == "arflow")
    return add(
        {"balance.ports=adaptive-flowlet", "balance.flowlet_gap=10us", "entropy.scheme=flow"});
  if (special == "drop") return add({"uec.trimming=false"});
  if (special == "dropsleek") return add({"uec.trimming=false", "uec.sleek=true"});
  if (special[0] == 'q') {
    const double packets = std::stod(special.substr(1));
    return add({"uec.queue_limit=" + Packets(packets), "uec.kmin=" + Packets(.2 * packets),
                "uec.kmax=" + Packets(.8 * packets)});
  }
  throw std::runtime_error("no special " + special);
}

}  // namespace

std::string WhyNotMapped(const std::string& text) {
  const Name name = Split(text);
  if (name.control == "roce") return "lossless Ethernet, not Ultra Ethernet";
  if (name.special == "hostar") return "heddle's switches do not mix hash and load by a coin";
  return "";
}

UecCase MakeUecCase(const std::string& text) {
  if (const std::string why = WhyNotMapped(text); !why.empty())
    throw std::runtime_error(text + " is not mapped: " + why);
  const Name name = Split(text);
  UecCase made{text, MakeUecFabric(name.fabric), MakeUecTraffic(name.traffic), {}, {}, false};
  if (name.slow_links > 0) made.failures = SlowLinks(made.graph, name.fabric, name.slow_links);
  made.settings = {"transport.protocol=uec", "flow.send_latency=0us",
                   "uec.congestion=" + name.control};
  AddPaths(name, &made.settings);
  AddSpecial(name.special, &made.settings);
  made.by_luck = name.paths == "ecmp" || name.special == "arflow";
  return made;
}

}  // namespace heddle::testing
