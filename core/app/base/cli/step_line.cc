// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/step_line.h"

#include <unistd.h>

#include <cstdio>

#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"

namespace heddle {

StepLine::StepLine() : shown_(UnderstandsEscapes(STDERR_FILENO)) {}

StepLine::~StepLine() {
  if (printed_) std::fputs("\r\033[K", stderr);
}

void StepLine::Show(const std::string& step) {
  if (!shown_) return;
  printed_ = true;
  const std::string line = Printable(step).substr(0, TerminalWidth(STDERR_FILENO) - 1);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace heddle
