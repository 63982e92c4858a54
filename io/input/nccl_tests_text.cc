// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/nccl_tests_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/ids.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr std::pair<std::string_view, Operation> kTests[] = {
    {"all_reduce_perf", Operation::kAllReduce},
    {"all_gather_perf", Operation::kAllGather},
    {"reduce_scatter_perf", Operation::kReduceScatter},
    {"alltoall_perf", Operation::kAllToAll},
    {"broadcast_perf", Operation::kBroadcast},
    {"reduce_perf", Operation::kReduce},
    {"sendrecv_perf", Operation::kSendRecv}};
constexpr double kMostMicroseconds = 1e12;
/// Columns of a line: of heddle's export, and of nccl-tests without reduction and root, without
/// root, and with both.
constexpr std::size_t kExported = 9, kFewestOfTests = 11, kMostOfTests = 13;
constexpr std::size_t kTimed = 4;  ///< columns of one time

std::vector<std::string_view> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = TakeWord(&line); !word.empty(); word = TakeWord(&line))
    words.push_back(word);
  return words;
}

class NcclTestsParser {
 public:
  NcclTestsParser(std::string_view text, const std::string& name) : lines_(text, name) {}

  std::vector<NcclTestsSection> Read() {
    std::string_view line;
    while (lines_.NextFilled(&line)) {
      if (line.front() == '#') {
        ReadComment(line.substr(1));
      } else if (line.rfind("NCCL ", 0) != 0 && line.find(" NCCL ") == std::string_view::npos &&
                 !ReadCommand(SplitWords(line))) {
        ReadRow(SplitWords(line));
      }
    }
    Close();
    if (sections_.empty())
      FailInput(lines_.whole_file(), "no line of times",
                "the output of nccl-tests, or of heddle export --nccl-tests");
    return std::move(sections_);
  }

 private:
  /// "Collective test starting: all_reduce_perf", "Rank 3 Group 0 Pid ...", "ALLREDUCE DP, 64
  /// ranks".
  void ReadComment(std::string_view text) {
    const std::vector<std::string_view> words = SplitWords(text);
    if (words.size() >= 4 && words[0] == "Collective" && words[2] == "starting:") {
      Close();
      open_.operation = OperationOfTest(words[3]);
    } else if (words.size() >= 2 && words[0] == "Rank") {
      if (const auto rank = ReadNumber<std::uint32_t>(words[1]); rank && *rank < kMaxNodes)
        open_.ranks = std::max(open_.ranks, *rank + 1);
    } else if (words.size() >= 4 && words[3].rfind("ranks", 0) == 0) {
      ReadSection(words);
    } else {
      ReadCommand(words);
    }
  }

  /// "mpirun -np 16 /opt/nccl-tests/build/all_reduce_perf -b 8": whether a word is the path of a
  /// test.
  bool ReadCommand(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      const std::size_t slash = word.rfind('/');
      const std::string_view program =
          slash == std::string_view::npos ? word : word.substr(slash + 1);
      for (const auto& [name, operation] : kTests) {
        // NVIDIA's containers have them as "all_reduce_perf_mpi".
        if (program != name && program != std::string(name) + "_mpi") continue;
        Close();
        open_.operation = operation;
        return true;
      }
    }
    return false;
  }

  Operation OperationOfTest(std::string_view test) const {
    for (const auto& [name, operation] : kTests) {
      if (test == name) return operation;
    }
    std::string known;
    for (const auto& [name, operation] : kTests)
      known += (known.empty() ? "" : ", ") + std::string(name);
    FailInput(lines_.where(), fmt::format("test {}", Quote(test)), known);
  }

  void ReadSection(const std::vector<std::string_view>& words) {
    for (int i = 1; i <= static_cast<int>(Operation::kSendRecv); ++i) {
      const auto operation = static_cast<Operation>(i);
      const auto ranks = ReadNumber<std::uint32_t>(words[2]);
      if (words[0] != ToText(operation) || !ranks) continue;
      if (*ranks < 1 || *ranks > kMaxNodes)
        FailInput(lines_.where(), fmt::format("{} ranks", *ranks),
                  fmt::format("1 to {}", kMaxNodes));
      Close();
      open_.operation = operation;
      open_.ranks = *ranks;
    }
  }

  void ReadRow(const std::vector<std::string_view>& words) {
    const std::size_t count = words.size();
    if (count != kExported && (count < kFewestOfTests || count > kMostOfTests))
      FailInput(lines_.where(), fmt::format("{} columns", count),
                fmt::format("{} to {} of nccl-tests, or {} of heddle export --nccl-tests",
                            kFewestOfTests, kMostOfTests, kExported));
    const auto bytes = ReadNumber<std::int64_t>(words[0]);
    if (!bytes || *bytes < 0)
      FailInput(lines_.where(), fmt::format("size {}", Quote(words[0])), "a number of bytes");
    NcclTestsRow row;
    row.bytes = *bytes;
    const std::size_t times = count == kExported ? 1 : 2;
    row.out_of_place = SecondsOf(words[count - times * kTimed]);
    // Where a test does nothing in place, versions print a time or "N/A".
    if (times == 2 && words[count - kTimed] != "N/A")
      row.in_place = SecondsOf(words[count - kTimed]);
    if (*bytes > 0) open_.rows.push_back(row);
  }

  double SecondsOf(std::string_view word) const {
    const auto time = ReadNumber<double>(word);
    if (!time || !(*time > 0 && *time <= kMostMicroseconds))
      FailInput(lines_.where(), fmt::format("time {}", Quote(word)),
                "a number of microseconds above 0");
    return *time * 1e-6;
  }

  /// Ends the section that is open, if it has rows.
  void Close() {
    if (!open_.rows.empty()) sections_.push_back(std::exchange(open_, {}));
    open_.rows.clear();
  }

  LineReader lines_;
  NcclTestsSection open_;
  std::vector<NcclTestsSection> sections_;
};

}  // namespace

std::vector<NcclTestsSection> ParseNcclTests(std::string_view text, const std::string& name) {
  return NcclTestsParser(text, name).Read();
}

}  // namespace heddle
