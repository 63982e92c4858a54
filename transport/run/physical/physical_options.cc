// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/physical_options.h"

#include "core/options/options.h"

namespace heddle {

void PhysicalOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"physical", "real traffic between ranks (--backend physical)", "docs/models/physical.md"});
  options->Add({"physical.compute", "",
                "how a rank passes the time in which its GPUs compute: sleep: it leaves its core "
                "to others; spin: it polls for messages; skip: GPUs compute in no time",
                "", "heddle"},
               &compute);
  options->Add({"physical.warmup", "",
                "passes of every job before those of --passes, to warm up; they are in the "
                "result, and count in no mean or percentile",
                "", "heddle; nccl-tests: 5"},
               &warmup, 0, 1'000'000);
  options->Add({"physical.contents", "",
                "messages carry float32 numbers, which reductions add; off: whatever is in memory",
                "", "heddle"},
               &contents);
  options->Add({"physical.check", "",
                "whose results are checked, number by number, while time counts: of the first "
                "pass, of all, of none; of a trace, messages unless none",
                "", "heddle"},
               &check);
}

}  // namespace heddle
