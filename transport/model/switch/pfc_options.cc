// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/pfc_options.h"

#include "core/options/options.h"

namespace heddle {

void PfcOptions::Declare(OptionSet* options) {
  options->AddGroup({"pfc", "priority flow control", "docs/models/pfc.md"});
  options->Add({"pfc.enabled", "",
                "switches pause the sender of a priority before its buffer share overflows", "",
                "SimAI: always"},
               &enabled);
  options->Add({"pfc.pause_time", "PAUSE_TIME",
                "on links that can lose frames: how long a pause holds unless it is renewed, which "
                "happens every half of it; "
                "elsewhere a pause holds until it is lifted",
                "us", "SimAI's code default: 5"},
               &pause_time, MicroSeconds(1), MicroSeconds(1000000), "us");
  options->Add({"pfc.watchdog", "",
                "on such links: a pause is no longer renewed when nothing has left the buffer for "
                "which it was sent for so long, "
                "so that a deadlock there ends in losses instead of renewals for ever",
                "ms", "SONiC's PFC watchdog: detection after 200 ms"},
               &watchdog, MicroSeconds(1), MicroSeconds(100000000), "ms");
}

}  // namespace heddle
