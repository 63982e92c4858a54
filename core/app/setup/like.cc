// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/like.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/choice/algorithm_list.h"
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

/// Decides what `input` leaves open.
AppliedLike Decide(const LikeInput& input) {
  AppliedLike decided;
  const std::string simais = SimaisInput(input);
  decided.like = input.like != kAuto ? input.like : simais.empty() ? kNccl : kSimai;
  decided.reason = input.like != kAuto ? "as told" : simais.empty() ? "default" : simais;
  return decided;
}

}  // namespace

const std::vector<LikeSetting>& LikeTable() {
  static const std::vector<LikeSetting> table = {
      {"collective.latency", "send_lat", kNccl,
       "latencies by algorithm, protocol and kind of link, the protocol by size; SimAI: always 6 "
       "us"},
      {"collective.connections", "message", "lasting",
       "a channel's messages to a peer follow each other on one connection; SimAI: each starts "
       "anew",
       false, true},
      {"algorithm.allreduce", "auto", kFastestAlgorithm,
       "AllReduce is a ring or a tree, the faster by NCCL's prediction for its size; SimAI: a "
       "ring"},
      {"collective.pxn", "false", "true",
       "rings leave a server by the NIC by which they came, AllToAll changes rails by NVSwitches",
       true},
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
    const std::string& value = applied.like == kNccl ? setting.nccl : setting.simai;
    const Option& option = OptionOf(*options, setting.key);
    if (option.get() == value) continue;
    if (option.set_by_user) {
      applied.kept.push_back(setting.key + "=" + option.get());
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
         "`message`: it gives each message source ports of its own.\n  Not set: collective.nvls, "
         "queue pairs (nic.qps_per_connection), NIC ports, congestion control.\n";
}

}  // namespace heddle
