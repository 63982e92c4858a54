// SPDX-License-Identifier: GPL-2.0-only
/// Reader of htsim's topology files (.topo): fat trees of two or three tiers of switches.
///
/// Source: the files of Broadcom's csg-htsim and of uet-htsim. Lines are a key and a number; a line
/// `Tier N` begins a tier, 0 first. Keys may be written with small or capital letters. Blank lines
/// and lines that begin with '#' are skipped.
///
/// Left out: Queue_Up and Queue_Down, as buffers are options of heddle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A number of the file, and its line; line 0: it was not given.
struct HtsimNumber {
  std::int64_t value = 0, line = 0;

  bool given() const { return line > 0; }  ///< the file has it
};

/// A tier of switches: 0 those of the hosts (ToR), the last one the top.
struct HtsimTier {
  HtsimNumber speed;           ///< of each cable below [Gb/s]
  HtsimNumber radix_down;      ///< cables below a switch
  HtsimNumber radix_up;        ///< cables above a switch; not of the top
  HtsimNumber oversubscribed;  ///< rate of all cables below over that of all above; 1 if not given
  HtsimNumber latency;         ///< of each cable below [ns]
  HtsimNumber switch_latency;  ///< of a switch [ns]; 0 if not given
  HtsimNumber bundle;          ///< parallel cables to each switch below; 1 if not given
  std::int64_t line = 0;       ///< of `Tier N`
};

struct HtsimTopology {
  std::string name;  ///< of the file, for messages
  HtsimNumber nodes;
  HtsimNumber pod_size;
  std::vector<HtsimTier> tiers;       ///< two or three
  std::vector<std::string> warnings;  ///< about what is not used

  SourceLine At(const HtsimNumber& number) const { return {name, number.line}; }  ///< for messages
};

/// Reads a topology with all numbers that a fabric needs; whether they fit each other is for
/// MakeHtsimGraph() (io/htsim/htsim_fabric.h). Throws UserError with file and line for the first
/// mistake.
HtsimTopology ParseHtsimTopology(std::string_view text, const std::string& name);

}  // namespace heddle
