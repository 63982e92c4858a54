// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_binary.h"

#include "io/goal/goal_file.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/goal/goal_bytes.h"

namespace heddle {
namespace {

using heddle::testing::BytesOf;

constexpr const char* kText =
    "num_ranks 2\nrank 0 {\na: calc 1000 cpu 3\nb: send 1024b to 1 tag 5 cpu 1 nic 2\nb requires "
    "a\nc: calc 7\nc irequires a\n}\nrank 1 {\nrecv 1024b from -1 tag -1\n}\n";

GoalSchedule Schedule() {
  std::vector<std::string> warnings;
  return ParseGoal(kText, "a.goal", &warnings);
}

std::string RefusedBytes(const std::string& bytes) {
  return MessageOf([&] { ParseGoalBinary(bytes, "a.bin"); });
}

/// The bytes of Schedule() with one byte replaced.
std::string With(std::size_t at, int byte) {
  std::string bytes = BytesOf(Schedule());
  bytes[at] = static_cast<char>(byte);
  return bytes;
}

// Places in these bytes: the table at 14, rank 0 at 46 with head, 1 root and 3 operations from 58
// on, its 2 dependents at 175.
constexpr std::size_t kRank = 46, kFirst = 58;

void ExpectEqual(const GoalOperation& a, const GoalOperation& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.amount, b.amount);
  EXPECT_EQ(a.peer, b.peer);
  EXPECT_EQ(a.tag, b.tag);
  EXPECT_EQ(a.cpu, b.cpu);
  EXPECT_EQ(a.nic, b.nic);
  EXPECT_EQ(a.waits, b.waits);
  EXPECT_EQ(a.first_follower, b.first_follower);
  EXPECT_EQ(a.after_end, b.after_end);
  EXPECT_EQ(a.after_start, b.after_start);
}

TEST(GoalBinary, IsTheSameAsTheText) {
  const GoalSchedule text = Schedule();
  std::vector<std::string> warnings;
  const GoalSchedule binary = ParseGoal(BytesOf(text), "a.bin", &warnings);
  EXPECT_FALSE(binary.is_text);
  ASSERT_EQ(binary.ranks.size(), text.ranks.size());
  for (std::size_t rank = 0; rank < text.ranks.size(); ++rank) {
    EXPECT_EQ(binary.ranks[rank].followers, text.ranks[rank].followers);
    ASSERT_EQ(binary.ranks[rank].operations.size(), text.ranks[rank].operations.size());
    for (std::size_t i = 0; i < text.ranks[rank].operations.size(); ++i)
      ExpectEqual(binary.ranks[rank].operations[i], text.ranks[rank].operations[i]);
  }
  EXPECT_EQ(binary.PlaceOf(0, 1), "operation 1 of rank 0 in a.bin");
}

/// What txt2bin makes of "rank 0 {send 1b to 1 tag 7} rank 1 {recv 1b from 0 tag 7}", byte by byte.
TEST(GoalBinary, ReadsTheLayoutOfTheFile) {
  std::string bytes = std::string("\x7f\x10\0\0\0\0\0\0\x02\0\0\0\0\0", 14);
  for (const int place : {38, 89, 89, 140}) heddle::testing::Put(place, 8, &bytes);
  for (const int type : {1, 2}) {
    heddle::testing::Put(1, 4, &bytes);         // operations
    heddle::testing::Put(1, 4, &bytes);         // roots
    heddle::testing::Put(0, 4, &bytes);         // the root
    heddle::testing::Put(0, 4, &bytes);         // waits for
    heddle::testing::Put(type, 1, &bytes);      // send, receive
    heddle::testing::Put(2 - type, 4, &bytes);  // peer
    heddle::testing::Put(1, 8, &bytes);         // bytes
    heddle::testing::Put(7, 4, &bytes);         // tag
    bytes += std::string(2 + 16, '\0');         // cpu, nic, dependents
  }
  const GoalSchedule schedule = ParseGoalBinary(bytes, "a.bin");
  EXPECT_EQ(Describe(schedule.ranks[0].operations[0]), "a send to 1, tag 7");
  EXPECT_EQ(Describe(schedule.ranks[1].operations[0]), "a receive from 0, tag 7");
}

TEST(GoalBinary, RefusesHeads) {
  EXPECT_EQ(RefusedBytes(With(0, 0x7e)), "a.bin: byte 0: 4222. Expected: 4223");
  std::string consumed = With(0, 0x26);
  consumed[1] = 0x09;
  EXPECT_TRUE(IsGoalBinary(consumed));
  EXPECT_EQ(RefusedBytes(consumed),
            "a.bin: byte 0: 2342: a run of LogGOPSim with --save-mem has consumed the file. "
            "Expected: 4223, or the text from which txt2bin made it");
  EXPECT_EQ(RefusedBytes(With(0, 0x7f).substr(0, 10)),
            "a.bin: byte 0: a head that is not complete. Expected: 14 bytes");
}

TEST(GoalBinary, BoundsCountsByTheFile) {
  EXPECT_EQ(RefusedBytes(With(11, 0x7f)).substr(0, 40), "a.bin: byte 8: 2130706434 ranks in a fil");
  EXPECT_EQ(RefusedBytes(With(kRank + 3, 1)).substr(0, 41),
            "a.bin: byte 46: 16777219 operations and 1");
  EXPECT_EQ(RefusedBytes(With(kFirst + 26, 1)).substr(0, 36),
            "a.bin: byte 81: 16777217 dependents ");
  std::string shared = BytesOf(Schedule());
  shared.replace(30, 16, shared.substr(14, 16));
  shared.resize(shared.size() - 40);
  EXPECT_EQ(RefusedBytes(shared),
            "a.bin: byte 30: rank 1 shares its bytes with other ranks. Expected: bytes of its own");
  EXPECT_EQ(RefusedBytes(With(22, 255)).substr(0, 46),
            "a.bin: byte 14: rank 0 from 38 to 255, counted");
}

TEST(GoalBinary, RefusesValues) {
  EXPECT_EQ(RefusedBytes(With(kFirst + 4, 4)),
            "a.bin: byte 62: type 4. Expected: 1 (send), 2 (recv) or 3 (calc)");
  EXPECT_EQ(RefusedBytes(With(kFirst + 39 + 5, 2)), "a.bin: byte 102: rank 2. Expected: 0 to 1");
  EXPECT_EQ(RefusedBytes(With(kFirst + 39 + 16, 1)),
            "a.bin: byte 106: 72057594037928960 bytes. Expected: at most 1099511562240");
  EXPECT_EQ(RefusedBytes(With(kFirst + 39, 2)),
            "a.bin: byte 97: an operation that waits for 2, and 1 release it. Expected: the same "
            "number");
  EXPECT_EQ(RefusedBytes(With(kFirst - 4, 1)),
            "a.bin: byte 54: root 1. Expected: an operation that waits for nothing");
}

TEST(GoalBinary, DamagedBytesGiveErrorsOnly) {
  ExpectOnlyErrors(BytesOf(Schedule()),
                   [](const std::string& bytes) { ParseGoalBinary(bytes, "a.bin"); });
}

}  // namespace
}  // namespace heddle
