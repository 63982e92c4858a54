// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "core/app/base/cli/terminal.h"
#include "core/base/printable.h"
#include "core/options/quantity_text.h"
#include "io/compare/best_value.h"
#include "io/step/step_findings.h"

namespace heddle {
namespace {

constexpr double kUs = 1e6;        ///< ps of a microsecond
constexpr double kVisible = 5e-4;  ///< share of the step below which a part has no row
constexpr std::size_t kMostKinds = 40;

/// One figure of all fabrics.
struct Row {
  std::string name;
  std::vector<std::optional<double>> values;
  std::vector<std::string> texts;  ///< of the values
  Better better = Better::kNeither;
};

class RowMaker {
 public:
  explicit RowMaker(const std::vector<FabricResult>& results) : results_(results) {}

  /// A value that a fabric does not have is "none"; one that others lack is not compared.
  void Add(const std::string& name, Better better,
           const std::function<std::optional<double>(const FabricResult&)>& value,
           const std::function<std::string(double)>& text) {
    Row row;
    row.name = name;
    std::size_t there = 0;
    for (const FabricResult& result : results_) {
      row.values.push_back(value(result));
      there += row.values.back() ? 1 : 0;
      row.texts.push_back(row.values.back() ? text(*row.values.back()) : "none");
    }
    if (there > 1 || there == results_.size()) row.better = better;
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

/// "1 MiB", "36.75 KiB"
std::string SizeText(std::int64_t bytes) { return ToText(Bytes{bytes}); }

/// Returns the kinds of the first fabric, then those that it lacks and others have.
std::vector<KindTimes> KindsOf(const std::vector<FabricResult>& results) {
  std::vector<KindTimes> kinds;
  for (const FabricResult& result : results) {
    for (const KindTimes& kind : result.figures.collectives) {
      if (FindKind(kinds, kind) == nullptr) kinds.push_back(kind);
    }
  }
  return kinds;
}

/// Bus bandwidths of the kinds that took the longest together where they come first.
void AddCollectives(const std::vector<FabricResult>& results, RowMaker* rows) {
  for (const KindTimes& kind : LongestKinds(KindsOf(results), kMostKinds)) {
    const auto algorithm = [&](const FabricResult& r) {
      const KindTimes* same = FindKind(r.figures.collectives, kind);
      return same == nullptr ? std::string("-") : same->algorithm;
    };
    const bool alike = std::all_of(results.begin(), results.end(), [&](const FabricResult& r) {
      return FindKind(r.figures.collectives, kind) == nullptr || algorithm(r) == kind.algorithm;
    });
    rows->Add(
        fmt::format("{} {} {}{} [GB/s]", kind.operation, kind.group, SizeText(kind.bytes),
                    alike ? " by " + kind.algorithm : ""),
        Better::kMore,
        [&](const FabricResult& r) {
          const KindTimes* same = FindKind(r.figures.collectives, kind);
          return same == nullptr ? std::nullopt : std::optional(same->bus_bandwidth / 1e9);
        },
        [](double value) { return fmt::format("{:.2f}", value); });
    rows->AddTexts("  of line rate", [&](const FabricResult& r) {
      const KindTimes* same = FindKind(r.figures.collectives, kind);
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

FabricStep StepOf(const FabricResult& result) {
  const FabricParts& parts = result.fabric.parts;
  return {Printable(result.fabric.name),
          &result.figures.why,
          result.figures.above_leaves,
          parts.gpu_ports,
          parts.gpu_rate,
          result.figures.queue_pairs};
}

}  // namespace

std::size_t BestOf(const std::vector<FabricResult>& results) {
  std::vector<std::optional<double>> steps;
  for (const FabricResult& result : results) steps.emplace_back(result.figures.step_ps);
  return BestValue(steps, Better::kLess).value();
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
    const std::optional<std::size_t> best = BestValue(row.values, row.better);
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string cell = row.texts[i];
      const bool compared = best && row.values[i];
      const bool is_best = compared && IsAsGood(*row.values[i], *row.values[*best]);
      if (compared) {
        cell += is_best ? " *" : "  ";
        cell += fmt::format("{:>9}", DifferenceText(*row.values[i], *row.values[*best]));
      } else if (best || row.values[i]) {
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
    if (&other != &best) verdicts.push_back(FabricVerdict(StepOf(best), StepOf(other)));
  }
  return verdicts;
}

}  // namespace heddle
