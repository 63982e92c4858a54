// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_astra.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/table/csv_field.h"

namespace heddle {
namespace {

std::string AsMicroseconds(double ps) { return fmt::format("{:.6f}", ps * 1e-6); }

/// Name of the job as the files' name of the run.
std::string RunNameOf(const Table& jobs, std::uint32_t job) {
  const auto& numbers = GetColumn<std::uint32_t>(jobs, "job");
  const auto at = std::find(numbers.begin(), numbers.end(), job);
  if (at == numbers.end()) {
    throw UserError(fmt::format(
        "no layers of ASTRA-SIM: job {} is not in the result. Expected: the number of a job in "
        "table jobs",
        job));
  }
  const std::string& name =
      GetColumn<std::string>(jobs, "name")[static_cast<std::size_t>(at - numbers.begin())];
  return name.empty() ? "heddle" : name;
}

/// Rows of a job's rank 0 in table "layers", by index of the layer.
std::vector<std::size_t> LayersOf(const Table& layers, std::uint32_t job) {
  const auto& jobs = GetColumn<std::uint32_t>(layers, "job");
  const auto& ranks = GetColumn<std::uint32_t>(layers, "rank");
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i] == job && ranks[i] == 0) rows.push_back(i);
  }
  return rows;
}

/// When the last GPU of the job ended [ps]. Throws UserError if some did not.
std::int64_t EndOf(const Table& ranks, std::uint32_t job) {
  if (const std::string why = WhyNotEnded(ranks, job); !why.empty())
    throw UserError("no EndToEnd.csv of ASTRA-SIM: " + why + ". Expected: a run to the end");
  const auto& jobs = GetColumn<std::uint32_t>(ranks, "job");
  const auto& ends = GetColumn<std::int64_t>(ranks, "end_ps");
  std::int64_t end = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i] == job) end = std::max(end, ends[i]);
  }
  return end;
}

/// Sums of a layer's operations in one phase of their chunks.
struct Delays {
  std::int64_t chunks = 0, messages = 0;
  double queued = 0, network = 0;  ///< ps
};
using LayerDelays = std::map<std::uint32_t, std::map<std::uint32_t, Delays>>;  ///< layer, phase

LayerDelays DelaysOf(const Table& table, std::uint32_t job) {
  const auto& jobs = GetColumn<std::uint32_t>(table, "job");
  const auto& layers = GetColumn<std::uint32_t>(table, "layer");
  const auto& phases = GetColumn<std::uint32_t>(table, "chunk_phase");
  const auto& chunks = GetColumn<std::int64_t>(table, "chunks");
  const auto& queued = GetColumn<std::int64_t>(table, "queued_ps");
  const auto& messages = GetColumn<std::int64_t>(table, "messages");
  const auto& network = GetColumn<std::int64_t>(table, "network_ps");
  LayerDelays found;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i] != job) continue;
    Delays& delays = found[layers[i]][phases[i]];
    delays.chunks += chunks[i];
    delays.messages += messages[i];
    delays.queued += static_cast<double>(queued[i]);
    delays.network += static_cast<double>(network[i]);
  }
  return found;
}

std::string MeanCell(double sum, std::int64_t count) {
  return count == 0 ? "," : "," + AsMicroseconds(sum / static_cast<double>(count));
}

}  // namespace

std::string WhyNotEnded(const Table& ranks, std::uint32_t job) {
  const auto& jobs = GetColumn<std::uint32_t>(ranks, "job");
  const auto& ends = GetColumn<std::int64_t>(ranks, "end_ps");
  std::size_t all = 0, open = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i] != job) continue;
    ++all;
    if (ends[i] < 0) ++open;
  }
  if (open == 0) return "";
  return fmt::format("the workload did not end on {} of the {} GPUs of job {}", open, all, job);
}

void ExportAstraEndToEnd(const AstraTables& tables, std::uint32_t job, std::ostream& out) {
  const std::string run = CsvField(RunNameOf(tables.jobs, job));
  const std::vector<std::size_t> rows = LayersOf(tables.layers, job);
  const auto& names = GetColumn<std::string>(tables.layers, "name");
  const auto ps = [&](const char* name, std::size_t row) {
    return static_cast<double>(GetColumn<std::int64_t>(tables.layers, name)[row]);
  };
  const auto exposed_wg = [&](std::size_t row) {
    return ps("wg_exposed_ps", row) - ps("wg_tail_ps", row);
  };
  double computed = 0, exposed = 0;
  for (const std::size_t row : rows) {
    computed += ps("fwd_compute_ps", row) + ps("wg_compute_ps", row) + ps("ig_compute_ps", row);
    exposed += ps("fwd_exposed_ps", row) + exposed_wg(row) + ps("ig_exposed_ps", row);
  }
  const std::string end = AsMicroseconds(static_cast<double>(EndOf(tables.ranks, job)));
  out << ",,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,ig exposed comm,"
         "fwd total comm,wg total comm,ig total comm,all comm finished,total comp,"
         "total exposed comm\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    out << CsvField(names[row]) << ',' << run;
    for (const double value :
         {ps("fwd_compute_ps", row), ps("wg_compute_ps", row), ps("ig_compute_ps", row),
          ps("fwd_exposed_ps", row), exposed_wg(row), ps("ig_exposed_ps", row),
          ps("fwd_total_ps", row), ps("wg_total_ps", row), ps("ig_total_ps", row)})
      out << ',' << AsMicroseconds(value);
    out << ',' << end << ','
        << (i == 0 ? AsMicroseconds(computed) + "," + AsMicroseconds(exposed) : ",") << '\n';
  }
}

void ExportAstraDetailed(const AstraTables& tables, std::uint32_t job, std::ostream& out) {
  const std::string run = CsvField(RunNameOf(tables.jobs, job));
  const LayerDelays all = DelaysOf(tables.phase_delays, job);
  const auto& names = GetColumn<std::string>(tables.layers, "name");
  const auto& indices = GetColumn<std::uint32_t>(tables.layers, "layer");
  std::uint32_t phases = 0;  // a chunk's most phases
  for (const auto& [layer, by_phase] : all) phases = std::max(phases, by_phase.rbegin()->first);
  out << ",,shared bus transfer queue delay,shared bus transfer delay,"
         "shared bus processing queue delay,shared bus processing delay,mem bus queue delay,"
         "mem bus delay";
  for (std::uint32_t p = 0; p <= phases; ++p) out << ",queuing delay phase " << p;
  for (std::uint32_t p = 1; p <= phases; ++p) out << ",network delay phase " << p;
  out << '\n';
  for (const std::size_t row : LayersOf(tables.layers, job)) {
    out << CsvField(names[row]) << ',' << run;
    for (int bus = 0; bus < 6; ++bus) out << ",0.000000";
    const auto found = all.find(indices[row]);
    const auto delays = [&](std::uint32_t phase) {
      if (found == all.end()) return Delays();
      const auto at = found->second.find(phase);
      return at == found->second.end() ? Delays() : at->second;
    };
    for (std::uint32_t p = 0; p <= phases; ++p) out << MeanCell(delays(p).queued, delays(p).chunks);
    for (std::uint32_t p = 1; p <= phases; ++p)
      out << MeanCell(delays(p).network, delays(p).messages);
    out << '\n';
  }
}

}  // namespace heddle
