// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/replay_options.h"

#include "core/options/options.h"

namespace heddle {

void ReplayOptions::Declare(OptionSet* options) {
  const std::string page = "docs/models/fast_forward.md";
  options->AddGroup({"engine", "how packets are simulated, with the same results", page});
  options->AddGroup({"replay", "what a run keeps of its past to replay it", page});
  options->Add(
      {"engine.replay", "",
       "what happened on the NVLinks of a server, or under a leaf, is not simulated again "
       "where it repeats to the picosecond; no result changes; auto: if most of the traffic "
       "is of collectives whose groups lie in one server, or under one leaf",
       "", "heddle; after Wormhole (NSDI 2026), but exact"},
      &replay);
  options->Add(
      {"replay.memory", "",
       "memory that a rank spends on what it may replay; the oldest goes first", "MiB", "heddle"},
      &memory, 1, 65536);
  options->Add({"debug.refuse_replay", "",
                "every flow of this number on an island is simulated, and the island with it, so "
                "that replays are rebuilt; 0: none; a test aid",
                "", "heddle"},
               &refused, 0, 1 << 30);
}

}  // namespace heddle
