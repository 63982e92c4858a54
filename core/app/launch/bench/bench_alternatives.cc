// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_alternatives.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/closed_form/closed_prices.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/traffic/make_prices.h"
#include "core/app/views/results/result_options.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Closed forms of an operation by the options of a run, with some changed.
class ChangedRun {
 public:
  /// Throws UserError for options that no closed form knows.
  ChangedRun(const ReportSource& result, Operation operation,
             const std::vector<std::string>& settings)
      : graph_(result.graph()) {
    TakeOptions(result.root(), &options_);
    options_.options.SetAll(settings);
    FitToHardware(HardwareOf(graph_, false), &options_.options, &options_.collectives);
    CheckClosedForms("heddle bench", graph_, options_.collectives);
    prices_ = std::make_unique<ClosedPrices>(graph_, options_.collectives,
                                             WireFiguresOf(options_.transport));
    for (std::uint32_t gpu = 0; gpu < graph_.gpu_count(); ++gpu) members_.emplace_back(gpu);
    call_.operation = operation;
    call_.group_type = GroupType::kData;
    call_.ranks = graph_.gpu_count();
    call_.members = members_.data();
  }

  const PriceParts& PartsOf(std::int64_t bytes) {
    call_.bytes = bytes;
    return prices_->PartsOf(call_);
  }

 private:
  const Graph& graph_;
  AllOptions options_;
  std::unique_ptr<ClosedPrices> prices_;
  std::vector<NodeId> members_;
  CollectiveCall call_;
};

/// `chosen`: what the run took. By size; none where it is the same.
BenchAlternative AlternativeBy(const ReportSource& result, Operation operation,
                               const std::vector<std::string>& settings,
                               const std::vector<std::int64_t>& sizes, ChangedRun* chosen) {
  ChangedRun changed(result, operation, settings);
  BenchAlternative made;
  made.settings = fmt::format("{} {}", settings[0], settings[1]);
  for (const std::int64_t size : sizes) {
    const PriceParts& before = chosen->PartsOf(size);
    const PriceParts& now = changed.PartsOf(size);
    const CalibratedKind& kind = now.kind;
    const bool same =
        kind.algorithm == before.kind.algorithm && kind.protocol == before.kind.protocol;
    made.share.emplace_back();
    if (same || before.closed_form <= 0 || now.closed_form <= 0) continue;
    made.name = fmt::format("{} {}", ToText(kind.algorithm), ToText(kind.protocol));
    made.share.back() = now.closed_form / before.closed_form;
  }
  return made;
}

}  // namespace

BenchSurroundings SurroundingsOf(const ReportSource& result, const BenchArguments& given,
                                 Operation operation, const std::vector<std::int64_t>& sizes) {
  const Graph& graph = result.graph();
  BenchSurroundings around;
  around.between_servers = graph.gpu_count() > graph.gpus_per_server();
  around.hardware = result.root().Text("option collective.latency").value_or("") == "hardware";
  if (given.group != "all" || operation == Operation::kSendRecv) return around;
  try {
    ChangedRun chosen(result, operation, {});
    for (const std::string& algorithm : WordsFor(operation)) {
      for (const char* protocol : {"ll", "ll128", "simple"}) {
        try {
          BenchAlternative made = AlternativeBy(result, operation,
                                                {AlgorithmKey(operation) + "=" + algorithm,
                                                 "collective.protocol=" + std::string(protocol)},
                                                sizes, &chosen);
          if (!made.name.empty()) around.alternatives.push_back(std::move(made));
        } catch (const UserError&) {
          continue;  // the fabric cannot take it
        }
      }
    }
  } catch (const UserError&) {
    return around;  // no closed form knows the run
  }
  return around;
}

}  // namespace heddle
