// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/like.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr const char* kAuto = "auto";
constexpr const char* kSimai = "simai";
constexpr const char* kNccl = "nccl";
constexpr const char* kSimaiPrefix = "AS_";  // of SimAI's variables

const Option& OptionOf(const OptionSet& options, const std::string& key) {
  const auto found = options.FindByName(key);
  HEDDLE_INVARIANT(found.size() == 1, "no option " + key);
  return *found.front();
}

bool IsSimais(const std::string& name) { return name.rfind(kSimaiPrefix, 0) == 0; }

/// The input of SimAI's that makes a run like SimAI; empty: there is none.
std::string SimaisInput(const LikeInput& input) {
  if (!input.conf.empty()) return "-c " + input.conf;
  for (const auto& [name, value] : input.environment) {
    if (IsSimais(name)) return name + " is set";
  }
  for (const std::string& setting : input.settings) {
    if (IsSimais(setting) || setting.rfind("compat.simai=", 0) == 0)
      return setting.substr(0, setting.find('=')) + " is set";
  }
  return "";
}

std::string ValueOf(const LikeSetting& setting, const std::string& like, const LikeInput& input) {
  if (like != kNccl) return setting.simai;
  return setting.counts_nic_ports ? std::to_string(std::max(input.nic_ports, 1U)) : setting.nccl;
}

/// Decides what `input` leaves open.
AppliedLike Decide(const LikeInput& input) {
  AppliedLike decided;
  const std::string simais = SimaisInput(input);
  decided.like = input.like != kAuto ? input.like : simais.empty() ? kNccl : kSimai;
  decided.reason = input.like != kAuto ? "as set" : simais.empty() ? "default" : simais;
  return decided;
}

}  // namespace

const std::vector<LikeSetting>& LikeTable() {
  static const std::vector<LikeSetting> table = {
      {"algorithm.choice", "simccl", kNccl,
       "algorithm and protocol by the tuner's prediction for the size, NVLS where NCCL has it; "
       "SimAI: by kind of GPU and group"},
      {"algorithm.nvls", "simai", "multimem",
       "GPUs fetch sums from NVSwitches and store them through these; SimAI: every GPU sends all",
       true},
      {"collective.latency", "send_lat", "hardware",
       "latencies and rates of kernels by generation of GPUs, kind of NICs and protocol; SimAI: "
       "always 6 us"},
      {"collective.connections", "message", "lasting",
       "a channel's messages to a peer follow each other on one connection; SimAI: each starts "
       "anew",
       false, false, true},
      {"collective.pxn", "false", "true",
       "rings leave a server by the NIC by which they came, AllToAll changes rails by NVSwitches",
       true},
      {"nvlink.spray", "false", "true",
       "messages are spread over all NVSwitches of a server or rack; SimAI: a message takes one",
       true, true},
      {"nvlink.lossless", "false", "true",
       "NVSwitches hold what waits, as NVLinks have credits; SimAI: they drop what exceeds their "
       "buffer",
       true},
      {"nvlink.train", "1", "5", "packets of NVLS leave in trains, for speed; SimAI: one by one",
       true},
      {"nic.ports", "hash", "round-robin",
       "the queue pairs of two GPUs take the ports of their NICs in turn; SimAI: by a hash"},
      {"nic.qps_per_connection", "1", "ports",
       "a message is divided over all NIC ports of a GPU, where it has several; SimAI: it takes "
       "one",
       false, false, true, true},
  };
  return table;
}

void DeclareLike(OptionSet* options, std::string* like) {
  *like = kAuto;
  options->AddGroup(
      {kLikeKey, "whom collectives take after: NCCL or SimAI", "docs/models/collectives.md"});
  std::string keys;
  for (const LikeSetting& setting : LikeTable()) keys += (keys.empty() ? "" : ", ") + setting.key;
  options->Add({kLikeKey, "",
                fmt::format("whom collectives take after, where SimAI and NCCL differ; sets {}, "
                            "each unless it is given itself; auto: nccl, or simai if there is an "
                            "input of SimAI's (-c FILE, a variable AS_*, compat.simai)",
                            keys),
                "", "heddle"},
               like, {kAuto, kNccl, kSimai});
}

AppliedLike ApplyLike(const LikeInput& input, OptionSet* options) {
  AppliedLike applied = Decide(input);
  options->Preset(kLikeKey, applied.like);
  for (const LikeSetting& setting : LikeTable()) {
    if (!options->Knows(setting.key)) continue;  // of a part of a run
    const std::string value = ValueOf(setting, applied.like, input);
    const Option& option = OptionOf(*options, setting.key);
    if (option.get() == value) continue;
    if (option.set_by_user) {
      applied.kept.push_back(setting.key + "=" + option.get());
    } else if (setting.needs_planes && !input.has_planes) {
      continue;  // one NVSwitch is all that there is to spread over
    } else if (setting.needs_nvlink && !input.has_nvlink) {
      applied.without_nvlink.push_back(setting.key);
    } else if (setting.needs_own_ports && input.has_controller) {
      applied.with_controller.push_back(setting.key);
    } else {
      options->Preset(setting.key, value);
      applied.set.push_back(setting.key + "=" + value);
    }
  }
  return applied;
}

bool AppliedLike::sets(const std::string& key) const {
  return std::any_of(set.begin(), set.end(),
                     [&](const std::string& setting) { return setting.rfind(key + "=", 0) == 0; });
}

std::string AppliedLike::Describe() const {
  std::string text = fmt::format("{} ({})", like, reason);
  if (!set.empty()) text += fmt::format(": {}", fmt::join(set, ", "));
  if (!kept.empty()) text += fmt::format("; given: {}", fmt::join(kept, ", "));
  if (!without_nvlink.empty())
    text += fmt::format("; without NVSwitches no {}", fmt::join(without_nvlink, ", "));
  if (!with_controller.empty())
    text += fmt::format("; with the controller no {}", fmt::join(with_controller, ", "));
  return text;
}

std::string ExplainLike() {
  std::string text = fmt::format("  {:<24} {:<10} {}\n", "sets", kSimai, kNccl);
  for (const LikeSetting& setting : LikeTable()) {
    text += fmt::format("  {:<24} {:<10} {}\n      {}\n", setting.key, setting.simai, setting.nccl,
                        setting.reason);
  }
  return text +
         "\n  Without --like: nccl, or simai if there is an input of SimAI's (-c FILE, a variable "
         "AS_*).\n  --like simai, --set like=simai, and like = \"simai\" in a sweep are the same. "
         "Each "
         "of these options may\n  still be set; its own value counts, wherever --like stands. A "
         "run "
         "says in its line `like` what was set.\n  With the central controller connections stay "
         "`message`: it gives each message source ports of its own.\n  Not set: "
         "congestion control.\n  With -n FABRIC: what the hardware of that fabric is taken to "
         "need.\n";
}

}  // namespace heddle
