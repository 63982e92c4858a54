// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of patterns written as pairs.
#include "io/input/pair_levels_csv.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.csv";
constexpr std::uint32_t kRanks = 8;

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const ListedLevels levels = ParsePairLevels(text, kFile, kRanks);
    std::size_t pairs = 0;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (levels[level].empty()) Complain("an empty level");
      pairs += levels[level].size();
      for (const RankPair& pair : levels[level]) {
        if (pair.source >= kRanks || pair.destination >= kRanks || pair.source == pair.destination)
          Complain("a pair of no two ranks");
      }
    }
    if (pairs == 0 || pairs > text.size()) Complain("no pairs, or more than the file has bytes");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "pair_levels";
  reader.check = &Check;
  reader.words = {"source", "destination", "level", "0", "1", "7", "8", "999999", "4294967296"};
  reader.seeds = {"source,destination,level\n0,1,0\n1,0,1\n", "# pairs\n2, 3\n4,5,999999\r\n"};
  return reader;
}

}  // namespace heddle
