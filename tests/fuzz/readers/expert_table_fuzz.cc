// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the readers of tables of experts.
#include "io/input/expert_table_text.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

bool CheckCounts(const std::string& text) {
  return Accepts({kFile}, [&] {
    const ExpertTable table = ParseExpertCounts(text, kFile);
    if (table.counts.size() > text.size()) Complain("more experts than the file has bytes");
    std::int64_t sum = 0;
    for (const std::int64_t count : table.counts) {
      if (count < 0) Complain("a negative count");
      sum += count;
    }
    if (sum == 0 || !table.tokens.empty()) Complain("no choices, or tokens");
  });
}

bool CheckTokens(const std::string& text) {
  return Accepts({kFile}, [&] {
    const ExpertTable table = ParseTokenExperts(text, kFile);
    std::size_t tokens = 0, choices = 0;
    for (const auto& of_rank : table.tokens) {
      for (const auto& experts : of_rank) {
        ++tokens;
        if (choices != 0 && experts.size() != choices) Complain("tokens of several sizes");
        choices = experts.size();
      }
    }
    if (tokens == 0 || choices == 0 || tokens * choices > text.size() || !table.counts.empty())
      Complain("no tokens, or more than the file has bytes");
  });
}

bool Check(const std::string& text) {
  const bool counts = CheckCounts(text);
  return CheckTokens(text) || counts;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "expert_table";
  reader.check = &Check;
  reader.words = {"0", "1", "2", "7", "#", "65535", "65536", "1099511627776", "-1", "1.5"};
  reader.seeds = {"0 10\n1 20\n2 0\n", "# tokens\n0 1 2\n1 3 4\r\n0 2 1\n"};
  return reader;
}

}  // namespace heddle
