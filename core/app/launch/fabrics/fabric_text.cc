// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/app/base/cli/terminal.h"
#include "core/base/printable.h"
#include "core/options/quantity_text.h"
#include "io/step/step_verdict.h"

namespace heddle {
namespace {

constexpr double kUs = 1e6;        ///< ps of a microsecond
constexpr double kVisible = 5e-4;  ///< share of the step below which a part has no row
constexpr std::size_t kMostKinds = 40;

enum class Better { kLess, kMore, kNeither };

/// One figure of all fabrics.
struct Row {
  std::string name;
  std::vector<std::optional<double>> values;
  std::vector<std::string> texts;  ///< of the values
  Better better = Better::kNeither;
  bool differences = true;
};

/// Index of the best value, the first of equals; none if nothing is better.
std::optional<std::size_t> BestValue(const Row& row) {
  if (row.better == Better::kNeither) return std::nullopt;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (!row.values[i]) continue;
    const bool wins = !best || (row.better == Better::kLess ? *row.values[i] < *row.values[*best]
                                                            : *row.values[i] > *row.values[*best]);
    if (wins) best = i;
  }
  return best;
}

class RowMaker {
 public:
  explicit RowMaker(const std::vector<FabricResult>& results) : results_(results) {}

  void Add(const std::string& name, Better better,
           const std::function<double(const FabricResult&)>& value,
           const std::function<std::string(double)>& text, bool differences = true) {
    Row row;
    row.name = name;
    row.better = better;
    row.differences = differences;
    for (const FabricResult& result : results_) {
      row.values.emplace_back(value(result));
      row.texts.push_back(text(*row.values.back()));
    }
    rows_.push_back(std::move(row));
  }
  void AddTexts(const std::string& name,
                const std::function<std::string(const FabricResult&)>& text) {
    Row row;
    row.name = name;
    for (const FabricResult& result : results_) {
      row.values.emplace_back();
      row.texts.push_back(text(result));
    }
    rows_.push_back(std::move(row));
  }
  std::vector<Row> rows_;

 private:
  const std::vector<FabricResult>& results_;
};

std::string Decimals(double value) { return fmt::format("{:.1f}", value); }
std::string Whole(double value) { return GroupedDigits(static_cast<std::uint64_t>(value)); }

/// Rows of the step: its time and the parts that some fabric has.
void AddStep(const std::vector<FabricResult>& results, RowMaker* rows) {
  rows->Add(
      "step [us]", Better::kLess, [](const auto& r) { return r.figures.step_ps / kUs; }, Decimals);
  for (std::size_t part = 0; part < results.front().figures.shares.size(); ++part) {
    const bool visible = std::any_of(results.begin(), results.end(), [&](const FabricResult& r) {
      return r.figures.shares[part].ps > kVisible * r.figures.step_ps;
    });
    if (!visible) continue;
    rows->Add(
        "  " + results.front().figures.shares[part].name,
        part == 0 ? Better::kNeither : Better::kLess,
        [part](const auto& r) { return r.figures.shares[part].ps / kUs; }, Decimals);
  }
}

/// The same kind of another result; null if it has none.
const KindTimes* SameKind(const FabricFigures& figures, const KindTimes& kind) {
  const auto at = std::find_if(
      figures.collectives.begin(), figures.collectives.end(), [&](const KindTimes& other) {
        return other.operation == kind.operation && other.group == kind.group &&
               other.ranks == kind.ranks && other.bytes == kind.bytes;
      });
  return at == figures.collectives.end() ? nullptr : &*at;
}

/// "1 MiB", "36.75 KiB"
std::string SizeText(std::int64_t bytes) { return ToText(Bytes{bytes}); }

/// Bus bandwidths of the kinds that took the longest together on the first fabric.
void AddCollectives(const std::vector<FabricResult>& results, RowMaker* rows) {
  std::vector<KindTimes> kinds = results.front().figures.collectives;
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [](const KindTimes& kind) { return kind.bus_bandwidth <= 0; }),
              kinds.end());
  if (kinds.size() > kMostKinds) {
    std::stable_sort(kinds.begin(), kinds.end(), [](const KindTimes& a, const KindTimes& b) {
      return a.time.mean * static_cast<double>(a.time.number) >
             b.time.mean * static_cast<double>(b.time.number);
    });
    kinds.resize(kMostKinds);
  }
  for (const KindTimes& kind : kinds) {
    const auto algorithm = [&](const FabricResult& r) {
      const KindTimes* same = SameKind(r.figures, kind);
      return same == nullptr ? std::string("-") : same->algorithm;
    };
    const bool alike = std::all_of(results.begin(), results.end(), [&](const FabricResult& r) {
      return algorithm(r) == kind.algorithm;
    });
    rows->Add(
        fmt::format("{} {} {}{} [GB/s]", kind.operation, kind.group, SizeText(kind.bytes),
                    alike ? " by " + kind.algorithm : ""),
        Better::kMore,
        [&](const FabricResult& r) {
          const KindTimes* same = SameKind(r.figures, kind);
          return same == nullptr ? 0 : same->bus_bandwidth / 1e9;
        },
        [](double value) { return fmt::format("{:.2f}", value); });
    rows->AddTexts("  of line rate", [&](const FabricResult& r) {
      const KindTimes* same = SameKind(r.figures, kind);
      return same == nullptr || same->line_rate <= 0
                 ? std::string("-")
                 : fmt::format("{:.1f} %", 100 * same->line_rate);
    });
    if (!alike) rows->AddTexts("  by", algorithm);
  }
}

void AddParts(RowMaker* rows) {
  rows->AddTexts("hottest tier", [](const FabricResult& r) {
    const TierUse& tier = r.figures.hottest;
    return tier.name.empty() ? std::string("NVLink only") : tier.name;
  });
  rows->AddTexts("  used, mean and most", [](const FabricResult& r) {
    return fmt::format("{:.0f} %, {:.0f} %", 100 * r.figures.hottest.mean,
                       100 * r.figures.hottest.highest);
  });
  rows->AddTexts("ports of a GPU [Gbit/s]", [](const FabricResult& r) {
    const FabricParts& parts = r.fabric.parts;
    return fmt::format("{} x {:.4g}", parts.gpu_ports,
                       parts.gpu_rate / 1e9 / std::max(parts.gpu_ports, 1U));
  });
  rows->AddTexts("oversubscription", [](const FabricResult& r) {
    const double ratio = r.fabric.parts.oversubscription;
    return ratio > 0 ? fmt::format("{:.4g} : 1", ratio) : std::string("one tier");
  });
  const auto count = [&](const char* name, std::uint64_t (*of)(const FabricParts&)) {
    rows->Add(
        name, Better::kLess,
        [of](const auto& r) { return static_cast<double>(of(r.fabric.parts)); }, Whole);
  };
  count("switches", [](const FabricParts& p) { return std::uint64_t{p.switches}; });
  count("switch ports", [](const FabricParts& p) { return p.switch_ports; });
  count("cables of GPUs", [](const FabricParts& p) { return p.gpu_cables; });
  count("cables of switches", [](const FabricParts& p) { return p.cables; });
  count("transceivers", [](const FabricParts& p) { return p.transceivers(); });
}

/// Whether a value is the best one, as far as its difference from it in percent would show.
bool IsBest(const Row& row, std::size_t at, std::size_t best) {
  constexpr double kEqual = 5e-4;
  if (!row.values[at]) return false;
  const double value = *row.values[at], best_value = *row.values[best];
  return value == best_value ||
         (row.differences && best_value != 0 && std::abs(value / best_value - 1) < kEqual);
}

/// "+3.2 %", or "111x" where percents say little; empty for the best ones and where a difference
/// says nothing.
std::string DifferenceText(const Row& row, std::size_t at, std::size_t best) {
  constexpr double kManyTimes = 10;
  if (!row.differences || IsBest(row, at, best) || *row.values[best] == 0) return "";
  const double ratio = *row.values[at] / *row.values[best];
  return ratio >= kManyTimes ? fmt::format("{:.0f}x", ratio)
                             : fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

/// Where a message has a part of a GPU's rate only: how to use all of it.
std::string PortsHint(const ComparedFabric& best, const FabricResult& other) {
  const FabricParts& parts = other.fabric.parts;
  if (parts.gpu_ports <= best.parts.gpu_ports || other.figures.queue_pairs >= parts.gpu_ports)
    return "";
  return fmt::format(
      " A message takes one of the {} ports of its GPU, at {:.4g} Gbit/s; nic.ports=round-robin "
      "with nic.qps_per_connection={} uses all.",
      parts.gpu_ports, parts.gpu_rate / 1e9 / parts.gpu_ports, parts.gpu_ports);
}

}  // namespace

std::size_t BestOf(const std::vector<FabricResult>& results) {
  const auto best = std::min_element(
      results.begin(), results.end(),
      [](const auto& a, const auto& b) { return a.figures.step_ps < b.figures.step_ps; });
  return static_cast<std::size_t>(best - results.begin());
}

std::string FabricTable(const std::vector<FabricResult>& results, bool colours) {
  RowMaker rows(results);
  AddStep(results, &rows);
  AddCollectives(results, &rows);
  AddParts(&rows);
  std::size_t width = 0;
  for (const Row& row : rows.rows_) width = std::max(width, row.name.size());
  std::vector<std::size_t> columns;
  for (const FabricResult& result : results)
    columns.push_back(std::max<std::size_t>(Printable(result.fabric.name).size() + 2, 24));
  std::string text = std::string(width, ' ');
  for (std::size_t i = 0; i < results.size(); ++i)
    text += Painted(Paint::kHead,
                    fmt::format("{:>{}}", Printable(results[i].fabric.name), columns[i]), colours);
  text += "\n";
  for (const Row& row : rows.rows_) {
    text += fmt::format("{:<{}}", row.name, width);
    const std::optional<std::size_t> best = BestValue(row);
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string cell = row.texts[i];
      const bool is_best = best && IsBest(row, i, *best);
      if (best) {
        cell += is_best ? " *" : "  ";
        cell += fmt::format("{:>9}", DifferenceText(row, i, *best));
      } else if (row.values[i]) {
        cell += std::string(11, ' ');
      }
      cell = fmt::format("{:>{}}", cell, columns[i]);
      text += is_best ? Painted(Paint::kHead, cell, colours) : cell;
    }
    text += "\n";
  }
  return text;
}

std::vector<std::string> Verdicts(const std::vector<FabricResult>& results) {
  const FabricResult& best = results[BestOf(results)];
  std::vector<std::string> verdicts;
  for (const FabricResult& other : results) {
    if (&other == &best) continue;
    std::string verdict = StepVerdict(Printable(best.fabric.name), best.figures.why,
                                      Printable(other.fabric.name), other.figures.why);
    const bool equal = other.figures.step_ps == best.figures.step_ps;
    if (equal && best.figures.above_leaves == 0 && other.figures.above_leaves == 0)
      verdict += ": no byte passes above the leaves in either";
    verdict += ".";
    if (!equal) verdict += PortsHint(best.fabric, other);
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace heddle
