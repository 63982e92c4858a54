// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/uec/uec_figures.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/options/options.h"
#include "tests/support/simulate.h"

namespace heddle::testing {
namespace {

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::map<std::string, Figures> ReadReference() {
  std::ifstream in(std::string(HEDDLE_TEST_DATA) + "/uec/cases.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = Cells(line);
  std::map<std::string, Figures> all;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.size() != names.size()) throw std::runtime_error("cannot read cases.csv: " + line);
    Figures& figures = all[cells[0]];
    // After case and seeds come three columns a figure.
    for (std::size_t i = 2; i + 2 < cells.size(); i += 3)
      figures[names[i]] = {std::stod(cells[i]), std::stod(cells[i + 1]), std::stod(cells[i + 2])};
  }
  if (all.empty()) throw std::runtime_error("no case in cases.csv");
  return all;
}

constexpr double kPayload = 4086;  ///< of a full packet [byte]

std::map<std::string, double> FiguresOf(const Observed& run) {
  std::vector<std::int64_t> times = GetColumn<std::int64_t>(run.flows, "fct_ps");
  for (const std::uint8_t state : GetColumn<std::uint8_t>(run.flows, "state"))
    if (state != 0) throw std::runtime_error("a flow did not finish");
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (const std::int64_t time : times) sum += static_cast<double>(time) * 1e-6;
  const auto count = static_cast<double>(times.size());
  const DomainBooks& books = run.books;
  return {{"mean_us", sum / count},
          {"p99_us", static_cast<double>(times[times.size() * 99 / 100]) * 1e-6},
          {"last_us", static_cast<double>(times.back()) * 1e-6},
          {"resent", static_cast<double>(books.resent_bytes) / kPayload},
          {"nacks", static_cast<double>(books.nacks)},
          {"marked", static_cast<double>(books.marked)},
          {"out_of_order", static_cast<double>(books.out_of_order)},
          {"most_held", static_cast<double>(books.most_held)},
          {"furthest", static_cast<double>(books.furthest_ahead)}};
}

}  // namespace

const std::map<std::string, Figures>& ReferenceFigures() {
  static const std::map<std::string, Figures> all = ReadReference();
  return all;
}

Figures RunUecCase(const UecCase& c, std::uint32_t seeds,
                   const std::vector<std::string>& settings) {
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  keys.SetAll(c.settings);
  keys.SetAll(settings);
  Figures figures;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    RunPlan plan;
    plan.seed = seed;
    plan.grain = 0;  // one domain: no windows
    std::vector<FlowRequest> flows = c.flows;
    // The hash of a flow has no random part: other destination ports, other paths.
    for (FlowRequest& flow : flows) flow.destination_port = static_cast<std::uint16_t>(99 + seed);
    const Observed run = Simulate(c.graph, flows, Scenario(options, plan, c.failures));
    for (const auto& [name, value] : FiguresOf(run)) {
      const auto [spread, fresh] = figures.emplace(name, Spread{0, value, value});
      spread->second.mean += value / seeds;
      spread->second.low = std::min(spread->second.low, value);
      spread->second.high = std::max(spread->second.high, value);
    }
  }
  return figures;
}

}  // namespace heddle::testing
