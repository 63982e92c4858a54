// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/result_name.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <regex>

namespace heddle {
namespace {

/// Numbers of a file name; numbers that it lacks are 0.
struct NameNumbers {
  int world_size = 0, tp = 0, pp = 0, ep = 0, gbs = 0, mbs = 0;
};

NameNumbers NumbersOf(const std::string& file) {
  static const std::regex pattern("(world_size|tp|pp|ep|gbs|mbs|seq)([0-9]+)");
  const std::pair<const char*, int NameNumbers::*> places[] = {
      {"world_size", &NameNumbers::world_size},
      {"tp", &NameNumbers::tp},
      {"pp", &NameNumbers::pp},
      {"ep", &NameNumbers::ep},
      {"gbs", &NameNumbers::gbs},
      {"mbs", &NameNumbers::mbs}};
  NameNumbers numbers;
  for (std::sregex_iterator at(file.begin(), file.end(), pattern), end; at != end; ++at) {
    int value = 0;
    try {
      value = std::stoi((*at)[2].str());
    } catch (const std::exception&) {
      throw UserError(
          fmt::format("-w: '{}' in the file's name; SimAI crashes there (SIGABRT). "
                      "Expected: a number below 2^31, or -r NAME",
                      Printable(at->str())));
    }
    for (const auto& [name, place] : places) {
      if ((*at)[1] == name) numbers.*place = value;
    }
  }
  return numbers;
}

/// Micro-batches, cut down; without any batches of data the lowest number, as x86-64 converts it.
int Accumulation(const NameNumbers& numbers, int dp) {
  const double value = static_cast<double>(numbers.gbs) / (std::int64_t{dp} * numbers.mbs);
  if (!(std::abs(value) < 2147483648.0)) return std::numeric_limits<int>::min();
  return static_cast<int>(value);
}

std::string NameFromWorkload(const SimaiArguments& given) {
  const std::string file = given.workload.substr(given.workload.find_last_of('/') + 1);
  const NameNumbers numbers = NumbersOf(file);
  const std::int64_t stage = std::int64_t{numbers.tp} * numbers.pp;
  if (stage == 0)
    throw UserError(
        fmt::format("-w: '{}' names no tp and pp, and -r is not given; SimAI crashes there "
                    "(SIGFPE). Expected: -r NAME",
                    Printable(file)));
  const int dp = static_cast<int>(numbers.world_size / stage);
  const std::size_t size_at = file.find("world_size");
  std::string name;
  if (size_at != std::string::npos) name = size_at == 0 ? file : file.substr(0, size_at - 1);
  name += fmt::format("-tp{}-pp{}-dp{}-ga{}-ep{}-NVL{}-", numbers.tp, numbers.pp, dp,
                      Accumulation(numbers, dp), numbers.ep,
                      static_cast<std::uint32_t>(given.gpus_per_server));
  if (given.program == SimaiProgram::kManual10)
    return name + fmt::format("DP{:g}-", given.overlaps.data);
  return name + fmt::format("{:.1f}G-DP{:.1f}-", given.nic * 8, given.overlaps.data);
}

}  // namespace

std::string SimaiResultName(const SimaiArguments& given) {
  std::string name = given.result;
  if (name == "None") {
    name = NameFromWorkload(given);
  } else if (given.program == SimaiProgram::kManual10 && !name.empty() && name.back() == '/') {
    name += NameFromWorkload(given);
  }
  if (given.folder == "None") return name;
  const bool closed = !given.folder.empty() && given.folder.back() == '/';
  return given.folder + (closed ? "" : "/") + name;
}

}  // namespace heddle
