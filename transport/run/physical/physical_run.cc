// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/physical/physical_run.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Ranks that report what they waited for when the launcher ends the run. One may have died,
/// another may be stuck in MPI, as it reads from the dead one's memory.
constexpr std::uint32_t kSpeakers = 4;
constexpr std::int64_t kShortest = 60'000;  ///< a sleep takes longer than asked, by so much [ns]
constexpr std::int64_t kLongest = 200'000;  ///< a message may come during a sleep [ns]

double Seconds() { return static_cast<double>(RealClock::Nanoseconds()) * 1e-9; }
std::int64_t Nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

PhysicalRun::PhysicalRun(const Communicator& world, const EngineSetup& setup,
                         const PhysicalOptions& options, const RealClock& clock,
                         const DuePosts& queue, TrafficPlayer* player)
    : world_(world),
      setup_(setup),
      options_(options),
      clock_(clock),
      queue_(queue),
      player_(*player),
      watch_(WaitKind::kTraffic, Seconds()),
      crowded_(world.SumOnNode(1).ranks > std::thread::hardware_concurrency()) {
  if (world.rank().value < kSpeakers) signals_.emplace();
}

EngineReport PhysicalRun::Play(const std::function<void()>& ended) {
  begin_ = RealClock::Nanoseconds();
  next_cut_ = begin_ + Nanoseconds(setup_.report_interval);
  for (;;) {
    const bool did = player_.Turn();
    const std::int64_t now = RealClock::Nanoseconds();
    const auto verdict =
        agreement_.Turn({player_.idle(), player_.sent(), player_.received(), WantsCut(now)}, now);
    if (verdict == EndAgreement::Verdict::kEnd) break;
    if (verdict == EndAgreement::Verdict::kCut) MakeCut(false);
    watch_.Turn(static_cast<double>(now) * 1e-9);
    if (did || !WaitsForOthers()) watch_.Reset();
    HeedSignals();
    if (did) {
      if (waiting_since_ >= 0) waited_ += now - waiting_since_;
      waiting_since_ = -1;
    } else {
      Rest();
    }
  }
  EngineReport report;
  report.windows = agreement_.sums();
  report.messages_sent = static_cast<std::uint64_t>(player_.sent_to_others());
  report.wall_seconds = static_cast<double>(RealClock::Nanoseconds() - begin_) * 1e-9;
  report.blocked_seconds = static_cast<double>(waited_) * 1e-9;
  ended();
  MakeCut(true);
  return report;
}

void PhysicalRun::HeedSignals() const {
  if (PendingSignal() != SignalRequest::kCheckpointAndEnd) return;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  throw Error(
      ExitCode::kInterrupted,
      fmt::format("on {}: was asked to end (SIGTERM) at {} into the run, as when another rank has "
                  "died",
                  Printable(host.data()), ToText(clock_.Now())));
}

void PhysicalRun::Rest() {
  if (waiting_since_ < 0) waiting_since_ = RealClock::Nanoseconds();
  const Time due = queue_.next();
  if (options_.sleeps() && due != Time::Max() && !player_.moving()) {
    const std::int64_t left = (due - clock_.Now()).ps / 1000 - kShortest;
    if (left > 0) {
      const timespec pause{0, static_cast<long>(std::min(left, kLongest))};
      nanosleep(&pause, nullptr);
      return;
    }
  }
  if (crowded_) sched_yield();
}

bool PhysicalRun::WantsCut(std::int64_t now) const { return world_.is_root() && now >= next_cut_; }

void PhysicalRun::MakeCut(bool last) {
  const std::int64_t before = RealClock::Nanoseconds();
  Cut cut;
  cut.now = clock_.Now();
  cut.last = last;
  cut.wall_seconds = static_cast<double>(before - begin_) * 1e-9;
  cut.blocked_seconds = static_cast<double>(waited_) * 1e-9;
  cut.messages_sent = static_cast<std::uint64_t>(player_.sent_to_others());
  if (setup_.on_cut) setup_.on_cut(cut);
  const std::int64_t after = RealClock::Nanoseconds();
  next_cut_ =
      after + Nanoseconds(NextReportInterval(setup_, static_cast<double>(after - before) * 1e-9));
}

}  // namespace heddle
