// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/workload_case.h"

#include <cmath>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "collectives/choice/simai_environment.h"
#include "collectives/tables/job_tables.h"
#include "core/options/options.h"
#include "io/export/export_end_to_end.h"
#include "io/simai/simai_conf.h"
#include "io/simai/unused_simai_keys.h"
#include "tests/support/simulate_jobs.h"
#include "tests/validation/simai_case.h"

namespace heddle::testing {
namespace {

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::int64_t PicosecondsOf(const std::string& microseconds) {
  return std::llround(std::stod(microseconds) * 1e6);
}

std::string TextOf(const std::string& name, const std::string& file) {
  std::ifstream in = OpenCase(name, file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// `environment: NAME=VALUE NAME=VALUE`.
Environment EnvironmentOf(const std::string& name) {
  std::istringstream lines(TextOf(name, "about.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != "environment:") continue;
    Environment found;
    while (words >> word)
      found.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
    return found;
  }
  throw std::runtime_error("no environment in about.txt of " + name);
}

}  // namespace

std::vector<ReportFigure> ReadEndToEnd(std::istream& report) {
  std::vector<ReportFigure> figures;
  std::vector<std::string> columns, totals;
  std::uint32_t layer = 0;
  for (std::string line; std::getline(report, line);) {
    const std::vector<std::string> cells = Cells(line);
    if (cells.empty()) continue;
    if (cells[0] == "layer_name") {
      columns = cells;
    } else if (cells[0] == "total exposed comm") {
      totals = cells;
    } else if (cells[0] == "total time without the last wait") {
      continue;  // not in SimAI's
    } else if (!columns.empty() && cells[0] != "SUM") {
      if (cells.size() != columns.size())
        throw std::runtime_error("not a line of a layer: " + line);
      for (std::size_t c = 2; c < cells.size(); ++c) {
        const bool is_time = columns[c] != "algbw" && columns[c] != "busbw";
        if (is_time) figures.push_back({layer, columns[c], PicosecondsOf(cells[c])});
      }
      ++layer;
    }
  }
  if (layer == 0 || totals.size() != 6) throw std::runtime_error("not an end-to-end report");
  for (std::size_t c = 0; c < totals.size(); c += 2)
    figures.push_back({layer, totals[c], PicosecondsOf(totals[c + 1])});
  return figures;
}

WorkloadCase::WorkloadCase(const std::string& name)
    : graph(ReadSimaiTopology(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/topo.txt")),
      job(MakeJob(graph, TextOf(name, "workload.txt"))) {
  OptionSet keys;
  transport.Declare(&keys);
  collectives.Declare(&keys);
  DeclareUnusedSimaiKeys(&keys);
  ReadSimaiConf(std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/SimAI.conf", &keys);
  std::vector<std::string> echo, warnings;
  ApplyEnvironment(SimaiVariables(), EnvironmentOf(name), &keys, &echo, &warnings);
  if (!warnings.empty()) throw std::runtime_error(warnings.front());
  collectives.send_latency = transport.send_latency;
  transport.buffer.simai_headroom = true;  // as for the cases with flows (simai_case.h)
}

std::vector<ReportFigure> ReportOf(const Job& job, const Observed& outcome) {
  std::stringstream report;
  ExportEndToEnd({outcome.jobs.at(0), outcome.jobs.at(1), OperationTable({job}), outcome.jobs.at(3),
                  outcome.jobs.at(2)},
                 {}, report);
  return ReadEndToEnd(report);
}

}  // namespace heddle::testing
