// SPDX-License-Identifier: GPL-2.0-only
/// Runs cases of uet-htsim by themselves and prints heddle's figures beside uet-htsim's, if there
/// are any: to look into a difference.
///
/// Usage: uec_case CASE... [--seeds N] [KEY=VALUE...]
///   CASE    a name (tests/validation/uec/uec_case.h), or the beginning of names in
///           tests/data/uec/cases.csv
///   KEY=VALUE  a setting on top of the case's
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "core/engine/engine_session.h"
#include "tests/validation/uec/uec_verdict.h"

namespace heddle::testing {
namespace {

struct Wish {
  std::vector<std::string> cases, settings;
  std::uint32_t seeds = 3;
};

Wish Parse(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seeds" && i + 1 < argc) {
      wish.seeds = static_cast<std::uint32_t>(std::stoul(argv[++i]));
    } else {
      (word.find('=') == std::string::npos ? wish.cases : wish.settings).push_back(word);
    }
  }
  return wish;
}

std::vector<std::string> Chosen(const std::string& beginning) {
  std::vector<std::string> names;
  for (const auto& [name, figures] : ReferenceFigures())
    if (name.rfind(beginning, 0) == 0 && WhyNotMapped(name).empty()) names.push_back(name);
  if (names.empty()) names.push_back(beginning);
  return names;
}

void Show(const std::string& name, const Wish& wish) {
  const UecCase c = MakeUecCase(name);
  std::printf("%s\n", name.c_str());
  const Figures ours = RunUecCase(c, wish.seeds, wish.settings);
  const auto found = ReferenceFigures().find(name);
  for (const auto& [figure, own] : ours) {
    std::string line =
        fmt::format("  {:<13}{:>11.3f}  ({:.3f} to {:.3f})", figure, own.mean, own.low, own.high);
    if (found != ReferenceFigures().end() && found->second.count(figure) > 0) {
      const Spread& theirs = found->second.at(figure);
      line = fmt::format("{:<60} uet-htsim {:>11.3f}  ({:.3f} to {:.3f})", line, theirs.mean,
                         theirs.low, theirs.high);
      if (theirs.mean > 0) line += fmt::format("  ratio {:.3f}", own.mean / theirs.mean);
    }
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace heddle::testing

int main(int argc, char** argv) {
  using namespace heddle::testing;
  const Wish wish = Parse(argc, argv);
  if (wish.cases.empty()) {
    std::fprintf(stderr, "usage: uec_case CASE... [--seeds N] [KEY=VALUE...]\n");
    return 2;
  }
  int no_arguments = 0;
  char** none = nullptr;
  heddle::Ns3Session session(heddle::EngineKind::kDomain, &no_arguments, &none);
  try {
    for (const std::string& beginning : wish.cases)
      for (const std::string& name : Chosen(beginning)) Show(name, wish);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
