// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/progress.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace heddle {

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::Show(const State& state) {
  if (quiet_) return;
  const auto now = Clock::now();
  const double wall = std::chrono::duration<double>(now - start_).count();
  if (!terminal_ && wall < next_log_) return;
  next_log_ = std::max(next_log_ * 1.5, wall);
  double share = state.expected_bytes > 0
                           ? static_cast<double>(state.delivered_bytes) / static_cast<double>(state.expected_bytes)
                           : 0.0;
  share = std::min(share, 1.0);
  const std::string left = share > 0.01 && share < 1 ? fmt::format("{:.0f} s left", wall * (1 - share) / share) : "";
  const std::string line = fmt::format(
      "t={:.3f} ms  {:5.1f}%  {}/{} flows  {:.2f} M packet-hops/s  {:.0f} MiB  {}", state.now.seconds() * 1e3,
      100 * share, state.flows_finished, state.flows, static_cast<double>(state.packet_hops) / std::max(wall, 1e-9) * 1e-6,
      state.memory_mib, left);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  shown_ = true;
}

void Progress::Done() {
  if (shown_ && terminal_) std::fprintf(stderr, "\r\033[K");
}

double PeakMemoryMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace heddle
