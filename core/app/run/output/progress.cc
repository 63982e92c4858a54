// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/progress.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/app/base/cli/terminal.h"
#include "core/options/quantity_text.h"

namespace heddle {
namespace {

constexpr double kLogGrowth = 1.5;
constexpr double kLongestLogInterval = 60;  // s

std::string MemoryText(double mib) {
  return mib < 1024 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

/// A figure of the line, and its priority: 0 is dropped last.
struct Part {
  std::string text;
  int rank;
};

std::vector<Part> PartsOf(const ProgressFigures& f) {
  const ProgressState& s = f.state;
  std::vector<Part> parts = {
      {fmt::format("t={:.3f} ms ({:.1f}%)", s.now.seconds() * 1e3, 100 * f.share), 0},
      {RateText(f.events_per_second) + " events/s", 2},
      {"1:" + RateText(f.slowdown), 6},
      {fmt::format("blocked {:.0f}%", 100 * f.blocked_share), 4},
      {"RSS " + MemoryText(s.memory_mib), 3}};
  if (s.flows > 0) {
    parts.insert(parts.begin() + 2, {RateText(f.hops_per_second) + " hops/s", 7});
    parts.push_back({fmt::format("{}/{} flows", s.flows_finished, s.flows), 5});
  }
  if (f.left_seconds) parts.push_back({"left " + DurationText(*f.left_seconds), 1});
  return parts;
}

std::string Joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? "" : "  ") + part.text;
  return line;
}

}  // namespace

void AddEngineFigures(const Communicator& world, const Cut& cut, std::uint64_t events,
                      ProgressState* state) {
  constexpr double kMicro = 1e6;
  std::vector<std::int64_t> sums = {static_cast<std::int64_t>(events),
                                    static_cast<std::int64_t>(cut.messages_sent),
                                    static_cast<std::int64_t>(cut.blocked_seconds * kMicro)};
  world.Sum(&sums);
  state->events = sums[0];
  state->messages = sums[1];
  state->blocked_seconds = static_cast<double>(sums[2]) / kMicro / world.size();
  state->wall_seconds = world.Max(cut.wall_seconds);
  state->memory_mib = world.Max(PeakMemoryMib());
}

ProgressFigures MakeFigures(const ProgressState& before, const ProgressState& now,
                            std::optional<double> left_seconds) {
  ProgressFigures figures;
  figures.state = now;
  figures.left_seconds = left_seconds;
  if (now.expected > 0) {
    figures.share =
        std::clamp(static_cast<double>(now.done) / static_cast<double>(now.expected), 0.0, 1.0);
  }
  const double wall = now.wall_seconds - before.wall_seconds;
  if (wall <= 0) return figures;
  figures.events_per_second = static_cast<double>(now.events - before.events) / wall;
  figures.hops_per_second = static_cast<double>(now.packet_hops - before.packet_hops) / wall;
  figures.blocked_share =
      std::clamp((now.blocked_seconds - before.blocked_seconds) / wall, 0.0, 1.0);
  const double simulated = (now.now - before.now).seconds();
  if (simulated > 0) figures.slowdown = wall / simulated;
  return figures;
}

std::string ProgressLine(const ProgressFigures& figures, std::size_t width) {
  std::vector<Part> parts = PartsOf(figures);
  const auto less = [](const Part& a, const Part& b) { return a.rank < b.rank; };
  while (parts.size() > 1 && Joined(parts).size() > width)
    parts.erase(std::max_element(parts.begin(), parts.end(), less));
  return Joined(parts).substr(0, width);
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(UnderstandsEscapes(STDERR_FILENO)) {}

ProgressFigures Progress::Show(const ProgressState& state) {
  const ProgressFigures figures = MakeFigures(last_, state, std::nullopt);
  estimate_.Add(state.wall_seconds, figures.share);
  ProgressFigures shown = figures;
  shown.left_seconds = figures.share < 1 ? estimate_.Left() : std::nullopt;
  last_ = state;
  if (quiet_ || (!terminal_ && state.wall_seconds < next_log_)) return shown;
  // Prints rates since the previous line, which may be several cuts ago.
  const std::string line =
      ProgressLine(MakeFigures(last_shown_, state, shown.left_seconds),
                   terminal_ ? TerminalWidth(STDERR_FILENO) - 1 : std::string::npos);
  last_shown_ = state;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
    log_interval_ = std::min(log_interval_ * kLogGrowth, kLongestLogInterval);
    next_log_ = state.wall_seconds + log_interval_;
  }
  shown_ = true;
  return shown;
}

void Progress::Done() {
  if (shown_ && terminal_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

double PeakMemoryMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace heddle
