// SPDX-License-Identifier: GPL-2.0-only
/// What the collectives of a run are like: NCCL's or SimAI's.
///
/// One option, `like`, stands for several. By default the inputs decide: who brings SimAI's gets
/// SimAI's answer, everybody else NCCL's. The table is LikeTable(); whoever needs to know what a
/// choice sets reads it. An option that the user sets by its own key, in a file, a variable or a
/// flag, keeps the user's value, wherever `like` stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options/environment_variables.h"
#include "core/options/options.h"

namespace heddle {

/// An option with its value for each choice.
struct LikeSetting {
  std::string key;
  std::string simai;  ///< always the option's default
  std::string nccl;
  std::string reason;         ///< what NCCL does, for `heddle explain like`
  bool needs_nvlink = false;  ///< is set only if the fabric's servers have NVSwitches
  bool needs_planes = false;  ///< is set only if servers have several NVSwitches
  /// Is set only without the central controller, which gives each message ports of its own.
  bool needs_own_ports = false;
  /// Stands for as many queue pairs as a GPU has NIC ports; is set only if these are several.
  bool counts_nic_ports = false;
};

/// Key of the option.
inline constexpr const char* kLikeKey = "like";

/// Returns what `like` sets, in the order in which it is applied.
const std::vector<LikeSetting>& LikeTable();

/// Declares the option; `like` must outlive `options`.
void DeclareLike(OptionSet* options, std::string* like);

/// What is known of a run before `like` is applied.
struct LikeInput {
  std::string like;                   ///< "nccl", "simai", or "auto": by the inputs below
  std::string conf;                   ///< file of -c; empty: none
  Environment environment;            ///< the variables of the run
  std::vector<std::string> settings;  ///< "KEY=VALUE" of --set
  bool has_nvlink = false;            ///< whether the fabric has NVSwitches
  bool has_controller = false;        ///< whether the central controller chooses paths
  std::uint32_t nic_ports = 1;        ///< of a GPU, at most
  bool has_planes = false;            ///< whether servers have several NVSwitches
};

/// The outcome.
struct AppliedLike {
  std::string like;               ///< "nccl" or "simai"
  std::string reason;             ///< why: "as set", "-c FILE", "AS_SEND_LAT is set", "default"
  std::vector<std::string> set;   ///< KEY=VALUE
  std::vector<std::string> kept;  ///< KEY=VALUE, given by the user where `like` has another value
  std::vector<std::string> without_nvlink;   ///< keys left out: they need NVSwitches
  std::vector<std::string> with_controller;  ///< keys left out: the controller rules them out

  /// Whether the option has its value from `like`.
  bool sets(const std::string& key) const;
  /// "nccl (as set): collective.latency=nccl, ...": one line without its end.
  std::string Describe() const;
};

/// Decides "auto": SimAI if there is an input of SimAI's (a file of -c, or a variable or setting
/// that begins with AS_), NCCL otherwise. Then sets all options of the table that the user has not
/// set, and `like` itself to what was decided. Call it when files, variables and flags have been
/// applied.
AppliedLike ApplyLike(const LikeInput& input, OptionSet* options);

/// Returns the table in words, several lines.
std::string ExplainLike();

}  // namespace heddle
