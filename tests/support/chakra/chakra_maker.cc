// SPDX-License-Identifier: GPL-2.0-only
/// Writes a trace of Chakra from its short text (chakra_text.h). Usage: chakra_maker PREFIX < TEXT
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/support/chakra/chakra_text.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: chakra_maker PREFIX < TEXT\n", stderr);
    return 2;
  }
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    heddle::testing::WriteChakra(text, arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "chakra_maker: %s\n", error.what());
    return 3;
  }
  return 0;
}
