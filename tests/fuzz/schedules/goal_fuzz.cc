// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the readers of GOAL, text and binary: what is accepted has peers, followers and waits
/// in range, and no operation waits for itself through others.
#include <sstream>

#include "core/goal/goal_rank_builder.h"
#include "io/goal/goal_binary.h"
#include "io/goal/goal_file.h"
#include "io/goal/goal_messages.h"
#include "io/goal/goal_summary.h"
#include "io/goal/goal_writer.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.goal";

void CheckRank(const GoalRank& rank, std::size_t ranks) {
  std::vector<std::uint32_t> waits(rank.operations.size());
  for (const GoalOperation& op : rank.operations) {
    const std::uint64_t end = std::uint64_t{op.first_follower} + op.after_end + op.after_start;
    if (end > rank.followers.size()) Complain("followers that do not exist");
    if (op.amount < 0) Complain("a negative amount");
    if (op.peer >= ranks && !(op.is_receive() && op.peer == GoalOperation::kAny))
      Complain("a peer that does not exist");
    for (std::uint64_t i = op.first_follower; i < end; ++i) {
      if (rank.followers[i] >= waits.size()) Complain("a follower that does not exist");
      ++waits[rank.followers[i]];
    }
  }
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i] != rank.operations[i].waits) Complain("another number of waits");
  }
  if (!FindCycle(rank).empty()) Complain("a cycle");
}

std::string TextOf(const GoalSchedule& schedule) {
  std::ostringstream text;
  WriteGoalText(schedule, &text);
  return text.str();
}

/// The file with one operation in memory is the same schedule.
void CheckWindow(const std::string& text, const GoalSchedule& all) {
  static const std::string path = ScratchFolder() + "/fuzz.goal";
  PutBytes(path, text);
  std::vector<std::string> warnings;
  const GoalSchedule some = ReadGoal(path, 1, &warnings);
  if (TextOf(some) != TextOf(all)) Complain("another schedule with a window");
  const GoalMessages a = MatchGoalMessages(some), b = MatchGoalMessages(all);
  if (a.sends_alone != b.sends_alone || a.receives_alone != b.receives_alone ||
      a.sizes_differ != b.sizes_differ || a.send_alone.rank != b.send_alone.rank ||
      a.receive_alone.rank != b.receive_alone.rank)
    Complain("other messages with a window");
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    std::vector<std::string> warnings;
    const GoalSchedule schedule = ParseGoal(text, kFile, &warnings);
    for (const GoalRank& rank : schedule.ranks) CheckRank(rank, schedule.ranks.size());
    CheckWindow(text, schedule);
    const GoalSummary sum = Summarize(schedule);
    if (sum.operations() != schedule.CountOperations()) Complain("operations are missing");
  });
}

/// A binary schedule of one rank: a calc, and a send to itself that requires it.
std::string BinarySeed() {
  std::string bytes("\x7f\x10\0\0\0\0\0\0\x01\0\0\0\0\0\x16\0\0\0\0\0\0\0\x74\0\0\0\0\0\0\0", 30);
  bytes += std::string("\x02\0\0\0\x01\0\0\0\0\0\0\0", 12);
  bytes += std::string("\0\0\0\0\x03\0\0\0\0\x09", 10) + std::string(13, '\0') +
           std::string("\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  bytes += std::string("\x01\0\0\0\x01\0\0\0\0\x08", 10) + std::string(29, '\0');
  return bytes + std::string("\x01\0\0\0", 4);
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "goal";
  reader.check = &Check;
  reader.words = {
      "num_ranks 2",    "rank 0 {", "rank 1 {", "}",     "l1: ",    "calc 10", "send 8b to 1",
      "recv 8b from 0", "from -1",  "tag -1",   "tag 3", "cpu 255", "nic 1",   " requires ",
      " irequires ",    "//",       "/*",       "*/",    "\n",      "put",     "4294967295",
      "1099511562240"};
  reader.seeds = {
      "num_ranks 2\nrank 0 {\nl1: calc 10\nl2: send 8b to 1 tag 3\nl2 requires l1\n}\n"
      "rank 1 {\nl1: recv 8b from 0 tag 3 cpu 1 nic 1\nl2: calc 5\nl2 irequires l1\n}\n",
      "// one\nnum_ranks 1\n/* two\n*/rank 0 {\ncalc 1\nrecv 1b from -1 tag -1\n}\nend\n",
      BinarySeed()};
  return reader;
}

}  // namespace heddle
