// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "io/export/export_nccl_tests.h"
#include "io/input/nccl_tests_text.h"

namespace heddle {
namespace {

constexpr int kBenchSchema = 1;

/// Index of the fastest simulated column of a size.
std::optional<std::size_t> FastestAt(const BenchTable& table, std::size_t size) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < table.simulated.size(); ++c) {
    const std::optional<BenchCell>& cell = table.simulated[c].cells[size];
    if (cell && (!best || cell->seconds < table.simulated[*best].cells[size]->seconds)) best = c;
  }
  return best;
}

std::string CellText(const std::optional<BenchCell>& cell, bool star) {
  if (!cell) return fmt::format("{:>24}", "-");
  return fmt::format("{:>13.2f}{:>9.2f}{}", cell->seconds * 1e6, cell->bus_bandwidth / 1e9,
                     star ? " *" : "  ");
}

std::string ErrorText(const std::optional<BenchCell>& simulated,
                      const std::optional<BenchCell>& measured) {
  if (!simulated || !measured) return "";
  return fmt::format("{:>+9.1f} %", 100 * (simulated->seconds / measured->seconds - 1));
}

/// A size of a column.
struct BenchRow {
  std::int64_t size = 0;
  std::string algorithm;
  std::optional<BenchCell> cell;
  bool fastest = false;  ///< of the simulated
  std::optional<BenchCell> measured;
};

PrintedColumns<BenchRow> BenchColumns() {
  const auto error = [](const BenchRow& row) -> OrderedJson {
    if (!row.cell || !row.measured) return nullptr;
    return row.cell->seconds / row.measured->seconds - 1;
  };
  return {{"size_bytes", &BenchRow::size},
          {"algorithm", &BenchRow::algorithm},
          {"time_us",
           [](const BenchRow& row) -> OrderedJson {
             if (!row.cell) return nullptr;
             return row.cell->seconds * 1e6;
           }},
          {"busbw_gbyte_per_s",
           [](const BenchRow& row) -> OrderedJson {
             if (!row.cell) return nullptr;
             return row.cell->bus_bandwidth / 1e9;
           }},
          {"of_line_rate",
           [](const BenchRow& row) -> OrderedJson {
             if (!row.cell || row.cell->line_rate <= 0) return nullptr;
             return row.cell->line_rate;
           }},
          {"by",
           [](const BenchRow& row) -> OrderedJson {
             if (!row.cell || row.cell->algorithm.empty()) return nullptr;
             return row.cell->algorithm;
           }},
          {"fastest", &BenchRow::fastest},
          {"error", error}};
}

/// By column, then by size.
std::vector<BenchRow> RowsOf(const BenchTable& table) {
  std::vector<BenchRow> rows;
  const auto add = [&](const BenchColumn& column, std::optional<std::size_t> number) {
    for (std::size_t s = 0; s < table.sizes.size(); ++s) {
      BenchRow row{table.sizes[s], column.name, column.cells[s], false, std::nullopt};
      row.fastest = number && FastestAt(table, s) == number;
      if (number && table.measured) row.measured = table.measured->cells[s];
      rows.push_back(row);
    }
  };
  for (std::size_t c = 0; c < table.simulated.size(); ++c) add(table.simulated[c], c);
  if (table.measured) add(*table.measured, std::nullopt);
  return rows;
}

std::string LineOf(const BenchTable& table, std::size_t size) {
  const std::int64_t bytes = table.sizes[size];
  const NcclElements elements = ElementsOf(table.operation, bytes, table.ranks);
  std::string line =
      fmt::format("{:>14}{:>14}{:>7}{:>7}", bytes, elements.count, elements.type, elements.redop);
  const std::optional<BenchCell>& cell = table.simulated.front().cells[size];
  if (!cell) return line + fmt::format("{:>12}", "-");
  return line +
         fmt::format("{:>12.2f}{:>9.2f}{:>9.2f}{:>11}  {:<18}", cell->seconds * 1e6,
                     static_cast<double>(bytes) / cell->seconds / 1e9, cell->bus_bandwidth / 1e9,
                     cell->line_rate > 0 ? fmt::format("{:.1f} %", 100 * cell->line_rate) : "-",
                     cell->algorithm);
}

/// As nccl-tests prints it.
std::string OneColumnText(const BenchTable& table) {
  std::string text = "# " + TitleOf(table) + "\n";
  text += fmt::format("#{:>13}{:>14}{:>7}{:>7}{:>12}{:>9}{:>9}{:>11}  {:<18}", "size", "count",
                      "type", "redop", "time", "algbw", "busbw", "line rate", "algorithm");
  if (table.measured) text += fmt::format("{:>24}{:>11}", "measured: time    busbw  ", "error");
  text += fmt::format("\n#{:>13}{:>14}{:>7}{:>7}{:>12}{:>9}{:>9}\n", "(B)", "(elements)", "", "",
                      "(us)", "(GB/s)", "(GB/s)");
  for (std::size_t s = 0; s < table.sizes.size(); ++s) {
    text += LineOf(table, s);
    if (table.measured) {
      text += CellText(table.measured->cells[s], false) +
              ErrorText(table.simulated.front().cells[s], table.measured->cells[s]);
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace

std::string TitleOf(const BenchTable& table) {
  return fmt::format("{} of {} ranks on {}{}", table.operation, table.ranks,
                     Printable(table.fabric),
                     table.group == "all" ? "" : ", groups of type " + table.group);
}

BenchColumn SimulatedColumn(const std::string& name, const std::vector<KindTimes>& kinds,
                            const std::vector<std::int64_t>& sizes) {
  BenchColumn column{name, {}};
  for (const std::int64_t size : sizes) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [size](const KindTimes& k) { return k.bytes == size; });
    column.cells.emplace_back();
    if (kind != kinds.end())
      column.cells.back() =
          BenchCell{kind->time.mean * 1e-12, kind->bus_bandwidth, kind->line_rate, kind->algorithm};
  }
  return column;
}

BenchColumn MeasuredColumn(const std::string& text, const std::string& file, Operation operation,
                           std::uint32_t ranks, const std::vector<std::int64_t>& sizes) {
  BenchColumn column{"measured", std::vector<std::optional<BenchCell>>(sizes.size())};
  std::string others;
  std::size_t found = 0;
  for (const NcclTestsSection& section : ParseNcclTests(text, file)) {
    const bool other = section.operation != Operation::kNone && section.operation != operation;
    if (other || (section.ranks != 0 && section.ranks != ranks)) {
      others += fmt::format("{}{} of {} ranks", others.empty() ? "" : ", ",
                            ToText(section.operation), section.ranks);
      continue;
    }
    for (const NcclTestsRow& row : section.rows) {
      const auto size = std::find(sizes.begin(), sizes.end(), row.bytes);
      if (size == sizes.end()) continue;
      column.cells[static_cast<std::size_t>(size - sizes.begin())] = BenchCell{
          row.out_of_place,
          BusFactor(operation, ranks) * static_cast<double>(row.bytes) / row.out_of_place, 0, ""};
      ++found;
    }
  }
  if (found == 0) {
    FailInput(
        {file, 0}, others.empty() ? "none of the sizes" : "no such lines, but those of " + others,
        fmt::format("nccl-tests' {} of {} ranks with one of the sizes", ToText(operation), ranks));
  }
  return column;
}

std::string BenchText(const BenchTable& table) {
  if (table.simulated.size() == 1) return OneColumnText(table);
  std::string text = "# " + TitleOf(table) + "\n#" + std::string(13, ' ');
  for (const BenchColumn& column : table.simulated) text += fmt::format("{:>24}", column.name);
  if (table.measured) text += fmt::format("{:>24}{:>11}", "measured", "error");
  text += fmt::format("\n#{:>13}", "size");
  const std::size_t columns = table.simulated.size() + (table.measured ? 1 : 0);
  for (std::size_t c = 0; c < columns; ++c)
    text += fmt::format("{:>13}{:>9}  ", "time us", "busbw");
  text += "\n";
  for (std::size_t s = 0; s < table.sizes.size(); ++s) {
    text += fmt::format("{:>14}", table.sizes[s]);
    const std::optional<std::size_t> fastest = FastestAt(table, s);
    for (std::size_t c = 0; c < table.simulated.size(); ++c)
      text += CellText(table.simulated[c].cells[s], table.simulated.size() > 1 && fastest == c);
    if (table.measured) {
      text += CellText(table.measured->cells[s], false);
      if (fastest) text += ErrorText(table.simulated[*fastest].cells[s], table.measured->cells[s]);
    }
    text += "\n";
  }
  return text;
}

std::string BenchCsv(const BenchTable& table) {
  std::vector<const BenchColumn*> columns;
  for (const BenchColumn& column : table.simulated) columns.push_back(&column);
  if (table.measured) columns.push_back(&*table.measured);
  std::string text = "size_bytes";
  for (const BenchColumn* column : columns)
    text += fmt::format(",{}_us,{}_busbw_gbs", column->name, column->name);
  text += "\n";
  for (std::size_t s = 0; s < table.sizes.size(); ++s) {
    text += std::to_string(table.sizes[s]);
    for (const BenchColumn* column : columns) {
      const std::optional<BenchCell>& cell = column->cells[s];
      text += cell ? fmt::format(",{:.6f},{:.6f}", cell->seconds * 1e6, cell->bus_bandwidth / 1e9)
                   : ",,";
    }
    text += "\n";
  }
  return text;
}

OrderedJson BenchJson(const BenchTable& table, const std::string& page) {
  OrderedJson document = JsonDocument("bench", kBenchSchema);
  document["title"] = TitleOf(table);
  document["operation"] = table.operation;
  document["topology"] = table.fabric;
  document["group"] = table.group;
  document["ranks"] = table.ranks;
  document["times"] = PrintedList(BenchColumns(), RowsOf(table));
  document["summary"] = NullIfEmpty(FastestText(table));
  document["page"] = page;
  return document;
}

std::string FastestText(const BenchTable& table) {
  if (table.simulated.size() < 2) return "";
  std::string text;
  for (std::size_t s = 0; s < table.sizes.size();) {
    const std::optional<std::size_t> fastest = FastestAt(table, s);
    std::size_t last = s;
    while (last + 1 < table.sizes.size() && FastestAt(table, last + 1) == fastest) ++last;
    if (fastest) {
      const std::string from = ToText(Bytes{table.sizes[s]}), to = ToText(Bytes{table.sizes[last]});
      text += fmt::format("{}{} is fastest {}", text.empty() ? "" : ", ",
                          table.simulated[*fastest].name,
                          s == 0 && last + 1 == table.sizes.size() ? "at all sizes"
                          : s == 0                                 ? "up to " + to
                          : last + 1 == table.sizes.size()         ? "from " + from + " on"
                                                                   : "from " + from + " to " + to);
    }
    s = last + 1;
  }
  return text;
}

}  // namespace heddle
