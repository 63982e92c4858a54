// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/like.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectives/choice/collective_options.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr const char* kSimai = "simai";
constexpr const char* kNccl = "nccl";
constexpr const char* kSimaiPrefix = "AS_";  // of SimAI's variables

const Option& OptionOf(const OptionSet& options, const std::string& key) {
  const auto found = options.FindByName(key);
  HEDDLE_INVARIANT(found.size() == 1, "no option " + key);
  return *found.front();
}

/// Why it is what it is.
std::string ReasonOf(const LikeInput& input, bool told) {
  if (told) return "as told";
  if (input.like != kSimai) return "default";
  if (!input.conf.empty()) return "-c " + input.conf;
  for (const auto& [name, value] : input.environment) {
    if (name.rfind(kSimaiPrefix, 0) == 0) return name + " is set";
  }
  return "default";
}

}  // namespace

const std::vector<LikeSetting>& LikeTable() {
  static const std::vector<LikeSetting> table = {
      {"collective.latency", "send_lat", kNccl,
       "latencies by algorithm, protocol and kind of link, the protocol by size; SimAI: always 6 "
       "us"},
      {"collective.connections", "message", "lasting",
       "a channel's messages to a peer follow each other on one connection; SimAI: each starts "
       "anew"},
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
  *like = kSimai;
  options->AddGroup(
      {kLikeKey, "whom collectives take after: NCCL or SimAI", "docs/models/collectives.md"});
  std::string keys;
  for (const LikeSetting& setting : LikeTable()) keys += (keys.empty() ? "" : ", ") + setting.key;
  options->Add({kLikeKey, "",
                fmt::format("whom collectives take after, where SimAI and NCCL differ; sets {}, "
                            "each unless it is given itself",
                            keys),
                "", "heddle; SimAI's inputs mean SimAI"},
               like, {kSimai, kNccl});
}

AppliedLike ApplyLike(const LikeInput& input, OptionSet* options) {
  AppliedLike applied;
  applied.like = input.like;
  applied.reason = ReasonOf(input, OptionOf(*options, kLikeKey).set_by_user);
  for (const LikeSetting& setting : LikeTable()) {
    const std::string& value = input.like == kNccl ? setting.nccl : setting.simai;
    const Option& option = OptionOf(*options, setting.key);
    if (option.get() == value) continue;
    if (option.set_by_user) {
      applied.kept.push_back(setting.key + "=" + option.get());
    } else if (setting.needs_nvlink && !input.has_nvlink) {
      applied.left_out.push_back(setting.key);
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
  if (!left_out.empty())
    text += fmt::format("; without NVSwitches no {}", fmt::join(left_out, ", "));
  return text;
}

std::string ExplainLike() {
  std::string text = fmt::format("  {:<24} {:<10} {}\n", "sets", kSimai, kNccl);
  for (const LikeSetting& setting : LikeTable()) {
    text += fmt::format("  {:<24} {:<10} {}\n      {}\n", setting.key, setting.simai, setting.nccl,
                        setting.reason);
  }
  return text +
         "\n  --like nccl, --set like=nccl, and like = \"nccl\" in a sweep are the same. Each of "
         "these options may\n  still be set; its own value counts, wherever --like stands. A run "
         "says in its line `like` what was set.\n  Not set: collective.nvls, queue pairs "
         "(nic.qps_per_connection), NIC ports, congestion control.\n";
}

}  // namespace heddle
