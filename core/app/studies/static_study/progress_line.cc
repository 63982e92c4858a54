// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/app/base/cli/terminal.h"
#include "core/options/quantity_text.h"

namespace heddle {

ProgressLine::ProgressLine(std::uint64_t of, bool shown)
    : of_(of), shown_(shown), in_place_(UnderstandsEscapes(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
  if (printed_ && in_place_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::Show(std::uint64_t done) {
  if (!shown_) return;
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  constexpr double kTerminal = 0.2, kLog = 10;
  if (Seconds(now - last_).count() < (in_place_ ? kTerminal : kLog)) return;
  last_ = now;
  printed_ = true;
  const double spent = Seconds(now - begin_).count();
  const double left = spent * static_cast<double>(of_ - done) / static_cast<double>(done);
  const std::string line = fmt::format("runs {} of {}, about {:.0f} s left", GroupedDigits(done),
                                       GroupedDigits(of_), left);
  std::fprintf(stderr, in_place_ ? "\r\033[K%s" : "%s\n", line.c_str());
  std::fflush(stderr);
}

}  // namespace heddle
