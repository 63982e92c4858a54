// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_window.h"

#include "core/options/options.h"

namespace heddle {

void GoalWindow::Declare(OptionSet* options) {
  options->AddGroup({"goal", "schedules in GOAL", "docs/formats/goal.md"});
  options->Add({"goal.window", "",
                "of a schedule in GOAL with more operations a process holds so many; the others "
                "are in a file without a name in TMPDIR. 0: it holds all",
                "operations", ""},
               &operations, 0, std::int64_t{1} << 40);
}

}  // namespace heddle
