// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_writer.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "io/goal/goal_layout.h"

namespace heddle {
namespace {

using namespace goal_layout;

/// "send 1024b to 1 tag 5 cpu 1 nic 0"
void AppendOperation(const GoalOperation& operation, std::string* text) {
  const auto out = std::back_inserter(*text);
  const auto any = [](std::uint32_t value) {
    return value == GoalOperation::kAny ? std::int64_t{-1} : std::int64_t{value};
  };
  switch (operation.kind) {
    case GoalOperation::Kind::kCalc:
      fmt::format_to(out, "calc {}", operation.amount);
      break;
    case GoalOperation::Kind::kSend:
      fmt::format_to(out, "send {}b to {} tag {}", operation.amount, operation.peer, operation.tag);
      break;
    case GoalOperation::Kind::kReceive:
      fmt::format_to(out, "recv {}b from {} tag {}", operation.amount, any(operation.peer),
                     any(operation.tag));
      break;
  }
  if (operation.cpu != 0) fmt::format_to(out, " cpu {}", operation.cpu);
  if (operation.nic != 0) fmt::format_to(out, " nic {}", operation.nic);
}

/// Bytes in the file's order, which is little endian.
class FileWords {
 public:
  template <class Number>
  void Put(Number number) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is little endian");
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint64_t CountRoots(const GoalRank& rank) {
  std::uint64_t roots = 0;
  for (const GoalOperation& operation : rank.operations) roots += operation.waits == 0 ? 1 : 0;
  return roots;
}

std::uint64_t SizeOf(const GoalRank& rank) {
  return kRankHead + kIndex * (CountRoots(rank) + rank.followers.size()) +
         kNode * rank.operations.size();
}

void PutRank(const GoalRank& rank, FileWords* to) {
  to->Put(static_cast<std::uint32_t>(rank.operations.size()));
  to->Put(static_cast<std::uint32_t>(CountRoots(rank)));
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    if (rank.operations[i].waits == 0) to->Put(i);
  }
  for (const GoalOperation& operation : rank.operations) {
    to->Put(operation.waits);
    to->Put(operation.is_send() ? kSend : operation.is_receive() ? kReceive : kCalc);
    to->Put(operation.peer);
    to->Put(static_cast<std::uint64_t>(operation.amount));
    to->Put(operation.tag);
    to->Put(operation.cpu);
    to->Put(operation.nic);
    to->Put(operation.after_end);
    to->Put(operation.first_follower);
    to->Put(operation.after_start);
    to->Put(operation.first_follower + operation.after_end);
  }
  for (const std::uint32_t follower : rank.followers) to->Put(follower);
}

}  // namespace

void WriteGoalText(const GoalSchedule& schedule, std::ostream* to) {
  *to << "num_ranks " << schedule.ranks.size() << "\n";
  for (std::size_t number = 0; number < schedule.ranks.size(); ++number) {
    const GoalRank& rank = schedule.Rank(static_cast<std::uint32_t>(number));
    std::string text = fmt::format("\nrank {} {{\n", number);
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      text += fmt::format("l{}: ", i + 1);
      AppendOperation(rank.operations[i], &text);
      text += "\n";
    }
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      const GoalOperation& before = rank.operations[i];
      for (std::uint32_t k = 0; k < before.after_end + before.after_start; ++k) {
        const char* const verb = k < before.after_end ? "requires" : "irequires";
        text +=
            fmt::format("l{} {} l{}\n", rank.followers[before.first_follower + k] + 1, verb, i + 1);
      }
    }
    *to << text << "}\n";
  }
}

void WriteGoalBinary(const GoalSchedule& schedule, std::ostream* to) {
  FileWords head;
  head.Put(kMagic);
  head.Put(static_cast<std::uint32_t>(schedule.ranks.size()));
  head.Put(std::uint16_t{0});
  std::uint64_t at = kTable + kTableRow * schedule.ranks.size() - kOrigin;
  for (std::uint32_t number = 0; number < schedule.rank_count(); ++number) {
    const GoalRank& rank = schedule.Rank(number);
    if (rank.followers.size() > std::numeric_limits<std::uint32_t>::max())
      throw UserError(schedule.file + ": a rank with more than 2^32 dependencies. Expected: fewer");
    head.Put(at);
    head.Put(at + SizeOf(rank));
    at += SizeOf(rank);
  }
  *to << head.bytes();
  for (std::uint32_t number = 0; number < schedule.rank_count(); ++number) {
    FileWords bytes;
    PutRank(schedule.Rank(number), &bytes);
    *to << bytes.bytes();
  }
}

}  // namespace heddle
