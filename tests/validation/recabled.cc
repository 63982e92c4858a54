// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/recabled.h"

#include <unistd.h>

#include <filesystem>
#include <random>

#include "tests/validation/simai_case.h"

namespace heddle::testing {

Graph Recabled(const std::string& name, std::uint32_t order) {
  std::ifstream in = OpenCase(name, "topo.txt");
  std::vector<std::string> head(2), cables;
  for (std::string& line : head) std::getline(in, line);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) cables.push_back(line);
  }
  std::mt19937 random(order);
  for (std::size_t i = cables.size(); order != 0 && i > 1; --i)
    std::swap(cables[i - 1], cables[random() % i]);
  const std::string path =
      (std::filesystem::temp_directory_path() / ("heddle_ties_" + std::to_string(::getpid())))
          .string();
  {
    std::ofstream out(path);
    for (const std::string& line : head) out << line << '\n';
    for (const std::string& line : cables) out << line << '\n';
  }
  Graph graph = ReadSimaiTopology(path);
  std::filesystem::remove(path);
  return graph;
}

}  // namespace heddle::testing
