// SPDX-License-Identifier: GPL-2.0-only
/// Shared code of the tests of io: error messages, files in the test's own directory, damaged text.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "topology/graph/graph.h"

namespace heddle {

/// 4 GPUs in 2 servers, an NVSwitch in each, a switch above.
inline Graph SmallGraph() {
  Graph graph(4, 2, 1, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), {2'880'000'000'000}, {25'000}, 0});
    graph.AddLink({NodeId(gpu), NodeId(6), {400'000'000'000}, {500'000}, 0.001});
  }
  return graph;
}

/// A path in the test's directory that no other test uses.
inline std::string TempPath(const std::string& name) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "/heddle_" + test->test_suite_name() + "_" + test->name() + "_" +
         name;
}

inline std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Calls `parse` with truncated and altered copies of `valid`, which may only throw Error.
template <class Parse>
void ExpectOnlyErrors(const std::string& valid, Parse parse) {
  std::mt19937 random(1);
  const std::string alphabet = "0123456789.-+eE,# \t\r\nab\xff" + std::string(1, '\0');
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid.substr(0, random() % 2 == 0 ? valid.size() : random() % valid.size());
    for (unsigned i = random() % 5; i > 0 && !text.empty(); --i) {
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    }
    try {
      parse(text);
    } catch (const Error&) {
    }
  }
}

}  // namespace heddle
