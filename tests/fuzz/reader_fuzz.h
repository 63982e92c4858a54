// SPDX-License-Identifier: GPL-2.0-only
/// What the fuzzers of readers share when they are not libFuzzer's: a corpus, and the command line.
#ifndef HEDDLE_TESTS_FUZZ_READER_FUZZ_H_
#define HEDDLE_TESTS_FUZZ_READER_FUZZ_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace heddle {

/// The files of a directory and those below it, by name.
inline std::vector<std::string> ReadCorpus(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return corpus;
}

/// main() of `fuzz`(rounds, seed, corpus directory).
inline int FuzzMain(int argc, char** argv, int (*fuzz)(std::uint64_t, std::uint64_t, const std::string&)) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s ROUNDS SEED CORPUS_DIRECTORY\n", argv[0]);
    return 2;
  }
  return fuzz(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), argv[3]);
}

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_READER_FUZZ_H_
