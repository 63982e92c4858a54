// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/goal/goal_rank_builder.h"
#include "core/options/token_reader.h"
#include "io/goal/goal_labels.h"
#include "io/goal/goal_limits.h"
#include "io/goal/goal_lines.h"

namespace heddle {
namespace {

constexpr const char* kLineForms =
    "'LABEL: send BYTESb to RANK tag TAG', 'LABEL: recv BYTESb from RANK tag TAG', 'LABEL: calc "
    "NS', 'A requires B', 'A irequires B' or '}'";

/// Operations that only LogGOPSim2 knows.
bool IsOfOtherDialect(std::string_view word) {
  constexpr std::string_view kWords[] = {"append", "tappend", "put",  "tput",
                                         "get",    "tget",    "test", "calcgem5"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

bool IsOperation(std::string_view word) {
  return word == "send" || word == "recv" || word == "calc";
}

bool IsLabel(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !word.empty() && is_letter(word.front()) &&
         std::all_of(word.begin(), word.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

/// Reads the lines of one file.
class GoalTextReader {
 public:
  GoalTextReader(GoalBytes* bytes, std::uint64_t window, std::vector<std::string>* warnings)
      : lines_(bytes), bytes_(bytes->size()), warnings_(warnings) {
    schedule_.file = bytes->name();
    schedule_.window = window;
  }

  GoalSchedule Read() {
    ReadHead();
    std::string_view line;
    while (lines_.Next(&line)) {
      const SourceLine where = lines_.where();
      std::string_view rest = line;
      if (TakeGoalWord(&rest) == "rank") {
        ReadRank(rest);
      } else if (ranks_read_ < schedule_.ranks.size()) {
        FailInput(where, Quote(line), "'rank NUMBER {'");
      } else {
        warnings_->push_back(ToText(where) + ": what stands behind the last rank is not read");
        return std::move(schedule_);
      }
    }
    CheckMissing();
    return std::move(schedule_);
  }

 private:
  void ReadHead() {
    std::string_view line;
    if (!lines_.Next(&line)) FailInput(lines_.whole_file(), "an empty file", "'num_ranks NUMBER'");
    const std::string_view word = TakeGoalWord(&line);
    if (word != "num_ranks") FailInput(lines_.where(), Quote(word), "'num_ranks NUMBER'");
    const std::int64_t count = TakeNumber(&line, "a number of ranks", 1, kMaxGoalRanks);
    ExpectEnd(line);
    constexpr std::size_t kShortest = std::string_view("rank 0 {\n}").size();
    if (static_cast<std::uint64_t>(count) > bytes_ / kShortest)
      FailInput(lines_.where(), fmt::format("{} ranks in a file of {} bytes", count, bytes_),
                "a block 'rank NUMBER {' for each rank");
    schedule_.ranks.resize(static_cast<std::size_t>(count));
    rank_lines_.resize(static_cast<std::size_t>(count));
  }

  void ReadRank(std::string_view line) {
    const auto last = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    const auto rank = static_cast<std::size_t>(TakeNumber(&line, "the number of a rank", 0, last));
    if (TakeGoalWord(&line) != "{")
      FailInput(lines_.where(), "no '{' behind the rank", "'rank NUMBER {'");
    ExpectEnd(line);
    if (rank_lines_[rank] > 0)
      FailInput(lines_.where(),
                fmt::format("rank {} again, first in line {}", rank, rank_lines_[rank]),
                "each rank once");
    rank_lines_[rank] = lines_.number();
    ReadBlock(rank);
    GoalRank read = builder_.Take();
    labels_.Clear();
    lines_of_.clear();
    ++ranks_read_;
    CheckCycle(rank, read);
    schedule_.Put(static_cast<std::uint32_t>(rank), std::move(read));
  }

  void ReadBlock(std::size_t rank) {
    std::string_view line;
    while (lines_.Next(&line)) {
      const std::string_view first = TakeGoalWord(&line);
      if (first == "}") return ExpectEnd(line);
      ReadLine(first, line);
    }
    FailInput(lines_.where(), fmt::format("the block of rank {} does not end", rank), "'}'");
  }

  void ReadLine(std::string_view first, std::string_view rest) {
    std::string_view behind = rest;
    const std::string_view second = TakeGoalWord(&behind);
    if (second == ":") return ReadLabelled(first, behind);
    if (second == "requires") return ReadDependency(first, behind, false);
    if (second == "irequires") return ReadDependency(first, behind, true);
    ReadOperation(first, rest);
  }

  void ReadLabelled(std::string_view label, std::string_view rest) {
    if (!IsLabel(label))
      FailInput(lines_.where(), "label " + Quote(label),
                "a letter, then letters, digits and underscores");
    const std::uint32_t index = builder_.size();
    const std::uint32_t first = labels_.Add(label, index);
    if (first != GoalLabels::kNone)
      FailInput(lines_.where(),
                fmt::format("label {} again, first in line {}", label, LineOf(first)),
                "labels that differ within a rank");
    const std::string_view word = TakeGoalWord(&rest);
    ReadOperation(word, rest);
  }

  void ReadOperation(std::string_view word, std::string_view rest) {
    if (!IsOperation(word)) RefuseWord(word);
    if (builder_.size() >= kMaxGoalOperations)
      FailInput(lines_.where(), "too many operations",
                fmt::format("{} a rank", kMaxGoalOperations));
    GoalOperation operation;
    operation.line = static_cast<std::uint32_t>(
        std::min<std::int64_t>(lines_.number(), std::numeric_limits<std::uint32_t>::max()));
    if (word == "calc") {
      operation.amount = TakeNumber(&rest, "a time in ns", 0, kMaxGoalCalc);
    } else {
      ReadMessage(word == "send", &rest, &operation);
    }
    ReadOptions(rest, &operation);
    lines_of_.push_back(operation.line);
    builder_.Add(operation);
  }

  void ReadMessage(bool is_send, std::string_view* rest, GoalOperation* operation) {
    operation->kind = is_send ? GoalOperation::Kind::kSend : GoalOperation::Kind::kReceive;
    std::string_view size = TakeGoalWord(rest);
    if (size.empty() || size.back() != 'b')
      FailInput(lines_.where(), "size " + Quote(size), "a number of bytes and 'b', such as 1024b");
    size.remove_suffix(1);
    operation->amount = ReadNumberIn(size, "a number of bytes", 0, kMaxGoalBytes);
    const std::string_view way = is_send ? "to" : "from";
    const std::string_view word = TakeGoalWord(rest);
    if (word != way) FailInput(lines_.where(), Quote(word), fmt::format("'{}'", way));
    const auto last = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    operation->peer = TakeOrAny(!is_send, rest, "a rank", last);
  }

  void ReadOptions(std::string_view rest, GoalOperation* operation) {
    const bool is_calc = operation->kind == GoalOperation::Kind::kCalc;
    bool tag = false, cpu = false, nic = false;
    for (std::string_view word = TakeGoalWord(&rest); !word.empty(); word = TakeGoalWord(&rest)) {
      bool& given = word == "tag" ? tag : word == "cpu" ? cpu : nic;
      const bool known = word == "cpu" || (!is_calc && (word == "tag" || word == "nic"));
      if (!known || given)
        FailInput(lines_.where(), Quote(word) + (known ? " again" : ""),
                  is_calc ? "'cpu NUMBER', or the end of the line"
                          : "'tag', 'cpu' and 'nic' with a number, each once, or the end of the "
                            "line");
      given = true;
      if (word == "tag") {
        operation->tag = TakeOrAny(operation->is_receive(), &rest, "a tag", kMaxGoalTag);
      } else {
        (word == "cpu" ? operation->cpu : operation->nic) =
            static_cast<std::uint8_t>(TakeNumber(&rest, "a number of 8 bits", 0, 255));
      }
    }
  }

  void ReadDependency(std::string_view later, std::string_view rest, bool start) {
    const std::string_view earlier = TakeGoalWord(&rest);
    const std::uint32_t after = Find(later), before = Find(earlier);
    ExpectEnd(rest);
    builder_.Follow(after, before, start);
  }

  std::uint32_t Find(std::string_view label) const {
    const std::uint32_t found = labels_.Find(label);
    if (found == GoalLabels::kNone)
      FailInput(lines_.where(), "label " + Quote(label) + " is not defined above",
                "a label of an operation of this rank");
    return found;
  }

  std::int64_t ReadNumberIn(std::string_view word, const char* what, std::int64_t low,
                            std::int64_t high) const {
    const std::optional<std::int64_t> number = ReadNumber<std::int64_t>(word);
    if (!number || *number < low || *number > high)
      FailInput(lines_.where(), word.empty() ? "the end of the line" : Quote(word),
                fmt::format("{} from {} to {}", what, low, high));
    return *number;
  }

  std::int64_t TakeNumber(std::string_view* rest, const char* what, std::int64_t low,
                          std::int64_t high) const {
    return ReadNumberIn(TakeGoalWord(rest), what, low, high);
  }

  /// A number from 0 to `high`, or -1 for all of them.
  std::uint32_t TakeOrAny(bool may_be_any, std::string_view* rest, const char* what,
                          std::int64_t high) const {
    const std::string_view word = TakeGoalWord(rest);
    if (may_be_any && word == "-1") return GoalOperation::kAny;
    return static_cast<std::uint32_t>(ReadNumberIn(word, what, 0, high));
  }

  void ExpectEnd(std::string_view rest) const {
    const std::string_view word = TakeGoalWord(&rest);
    if (!word.empty()) FailInput(lines_.where(), Quote(word), "the end of the line");
  }

  [[noreturn]] void RefuseWord(std::string_view word) const {
    if (IsOfOtherDialect(word))
      FailInput(lines_.where(),
                Quote(word) + ", an operation of LogGOPSim2's dialect, which is not read",
                "send, recv or calc");
    FailInput(lines_.where(), word.empty() ? "the end of the line" : Quote(word), kLineForms);
  }

  std::uint32_t LineOf(std::uint32_t index) const { return lines_of_[index]; }

  void CheckMissing() const {
    const auto found = std::find(rank_lines_.begin(), rank_lines_.end(), 0);
    if (found == rank_lines_.end()) return;
    FailInput(lines_.whole_file(),
              fmt::format("{} of {} ranks are missing, the first is {}",
                          std::count(rank_lines_.begin(), rank_lines_.end(), 0), rank_lines_.size(),
                          found - rank_lines_.begin()),
              "'rank NUMBER {' for each of num_ranks");
  }

  void CheckCycle(std::size_t number, const GoalRank& rank) {
    const std::vector<std::uint32_t> cycle = FindCycle(rank);
    if (cycle.empty()) return;
    const auto line_of = [&](std::uint32_t index) { return rank.operations[index].line; };
    std::string lines;
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMost); ++i)
      lines += fmt::format("{}{}", i == 0 ? "" : ", ", line_of(cycle[i]));
    if (cycle.size() > kMost) lines += fmt::format(" and {} more", cycle.size() - kMost);
    FailInput({schedule_.file, line_of(cycle[0])},
              cycle.size() == 1
                  ? fmt::format("rank {}: the operation waits for itself", number)
                  : fmt::format("rank {}: the operations of lines {} wait each for the next, and "
                                "the last for the first",
                                number, lines),
              "dependencies without a cycle");
  }

  GoalLines lines_;
  std::uint64_t bytes_;  ///< of the file
  std::vector<std::string>* warnings_;
  GoalSchedule schedule_;
  GoalRankBuilder builder_;
  std::vector<std::int64_t> rank_lines_;  ///< where each rank begins; 0: not yet
  std::size_t ranks_read_ = 0;
  GoalLabels labels_;
  std::vector<std::uint32_t> lines_of_;  ///< of the rank's operations
};

}  // namespace

GoalSchedule ParseGoalText(GoalBytes* bytes, std::uint64_t window,
                           std::vector<std::string>* warnings) {
  return GoalTextReader(bytes, window, warnings).Read();
}

GoalSchedule ParseGoalText(std::string_view text, const std::string& name,
                           std::vector<std::string>* warnings) {
  GoalBytes bytes(text, name);
  return ParseGoalText(&bytes, 0, warnings);
}

}  // namespace heddle
