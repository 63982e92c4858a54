// SPDX-License-Identifier: GPL-2.0-only
/// Operations of a schedule in GOAL read a second, in binary and in text, and run a second on the
/// ideal network, on one core. `goal_bench PREFIX RANKS STEPS` writes such a schedule instead,
/// PREFIX.bin and PREFIX.goal, with three operations a step (tests/bench/goal_window.sh).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/goal/goal_rank_builder.h"
#include "core/goal/loggops.h"
#include "io/goal/goal_binary.h"
#include "io/goal/goal_text.h"
#include "io/goal/goal_writer.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Rings of messages between ranks, with a calc before each.
GoalSchedule RingOf(std::uint32_t ranks, std::uint32_t steps) {
  GoalSchedule schedule;
  schedule.file = "bench.goal";
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    GoalRankBuilder builder;
    std::uint32_t before = 0;
    for (std::uint32_t step = 0; step < steps; ++step) {
      GoalOperation calc, send, receive;
      calc.amount = 500 + (rank + step) % 7;
      send.kind = GoalOperation::Kind::kSend;
      send.amount = receive.amount = 4096;
      send.peer = (rank + 1) % ranks;
      receive.kind = GoalOperation::Kind::kReceive;
      receive.peer = (rank + ranks - 1) % ranks;
      send.tag = receive.tag = step;
      const std::uint32_t first = builder.Add(calc);
      if (step > 0) builder.Follow(first, before, false);
      builder.Follow(builder.Add(send), first, false);
      before = builder.Add(receive);
      builder.Follow(before, first, false);
    }
    schedule.ranks.push_back(builder.Take());
  }
  return schedule;
}

int Run() {
  const GoalSchedule made = RingOf(256, 2000);
  const auto operations = static_cast<double>(made.CountOperations());
  std::ostringstream binary, text;
  WriteGoalBinary(made, &binary);
  WriteGoalText(made, &text);
  const std::string binary_bytes = binary.str(), text_bytes = text.str();
  Clock::time_point start = Clock::now();
  const GoalSchedule of_binary = ParseGoalBinary(binary_bytes, "bench.bin");
  const double reading = SecondsSince(start);
  start = Clock::now();
  std::vector<std::string> warnings;
  const GoalSchedule of_text = ParseGoalText(text_bytes, "bench.goal", &warnings);
  const double parsing = SecondsSince(start);
  start = Clock::now();
  LogGops run(of_binary, {});
  run.Run();
  const double running = SecondsSince(start);
  if (run.ended() != made.CountOperations() || of_text.CountOperations() != run.ended()) return 1;
  std::printf("goal: %.1f M operations/s read (binary), %.1f M/s (text), %.2f M/s run by LogGOPS\n",
              operations / reading / 1e6, operations / parsing / 1e6, operations / running / 1e6);
  return 0;
}

int Make(const std::string& prefix, std::uint32_t ranks, std::uint32_t steps) {
  const GoalSchedule made = RingOf(ranks, steps);
  std::ofstream binary(prefix + ".bin", std::ios::binary), text(prefix + ".goal");
  WriteGoalBinary(made, &binary);
  WriteGoalText(made, &text);
  return binary.flush() && text.flush() ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  if (argc != 4) return heddle::Run();
  return heddle::Make(argv[1], static_cast<std::uint32_t>(std::atoi(argv[2])),
                      static_cast<std::uint32_t>(std::atoi(argv[3])));
}
