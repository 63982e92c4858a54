// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/routed_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "collectives/experts/pair_tables.h"
#include "collectives/program/program.h"
#include "core/options/enum_words.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNone = RoutedExperts::kNone;

bool IsExchange(Operation operation, GroupType group) {
  return operation == Operation::kAllToAll && group == GroupType::kExpert;
}

bool HasExchange(const Layer& layer) {
  for (const LayerPhase* phase : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
    if (IsExchange(phase->operation, phase->group) && phase->bytes > 0) return true;
  }
  return false;
}

/// What a line of the workload is to experts.
struct LineRole {
  std::uint32_t layer = kNone;     ///< expert layer of its micro-batch; kNone: it has no exchange
  bool combines = false;           ///< it is the second of its layer
  std::uint32_t computes = kNone;  ///< expert layer whose experts compute there
};

std::vector<LineRole> RolesOfLines(const Workload& workload) {
  std::vector<LineRole> roles(workload.layers.size());
  std::uint32_t exchanges = 0;  // of the micro-batch so far
  std::size_t dispatch = 0;     // line of the last one that waits for its combine
  for (std::size_t line = 0; line < roles.size(); ++line) {
    if (workload.layers[line].name == "embedding_layer") exchanges = 0;
    if (!HasExchange(workload.layers[line])) continue;
    LineRole& role = roles[line];
    role.layer = exchanges / 2;
    role.combines = exchanges % 2 == 1;
    ++exchanges;
    if (!role.combines) {
      dispatch = line;
      continue;
    }
    for (std::size_t between = dispatch + 1; between < line; ++between)
      roles[between].computes = role.layer;
  }
  return roles;
}

/// Makes each layer's tokens and each table once.
class Tables {
 public:
  Tables(const ExpertOptions& options, std::uint32_t ranks, RoutedExperts* experts)
      : options_(options), ranks_(ranks), experts_(*experts) {}

  const PairSizes* Of(std::uint32_t layer, std::int64_t buffer, bool returns) {
    const PairSizes*& table = known_[{layer, buffer, returns}];
    if (table != nullptr) return table;
    while (experts_.layers.size() <= layer)
      experts_.layers.push_back(
          std::make_shared<RoutedTokens>(options_, ranks_, experts_.layers.size()));
    experts_.tables.push_back(std::make_unique<const PairSizes>(
        MakePairSizes(experts_.layers[layer], buffer, options_.form, returns)));
    return table = experts_.tables.back().get();
  }

 private:
  const ExpertOptions& options_;
  std::uint32_t ranks_;
  RoutedExperts& experts_;
  std::map<std::tuple<std::uint32_t, std::int64_t, bool>, const PairSizes*> known_;
};

/// Bytes of a buffer of BF16 numbers in FP8, with a scale of 4 bytes for 128 of them.
std::int64_t InFp8(std::int64_t bytes) { return std::max<std::int64_t>(1, bytes / 64 * 33); }

/// Largest load of one over the mean of all.
struct Skew {
  double ratio = 0;
  std::uint32_t at = 0;

  void Add(std::uint32_t which, double load, double mean) {
    if (mean <= 0 || load / mean <= ratio) return;
    ratio = load / mean;
    at = which;
  }
};

}  // namespace

void RouteExperts(const ExpertOptions& options, const Workload& workload,
                  const ParallelGroups& groups, Program* program) {
  if (!options.on()) return;
  const std::vector<LineRole> roles = RolesOfLines(workload);
  auto experts = std::make_shared<RoutedExperts>();
  experts->options = options;
  Tables tables(options, groups.expert(), experts.get());
  for (ProgramOp& op : program->ops) {
    if (!IsExchange(op.spec.operation, op.spec.group)) continue;
    const LineRole& role = roles[op.layer];
    const bool backward = op.phase == Phase::kInputGradient;
    const bool dispatches = !role.combines && !backward;
    if (dispatches && options.dispatch == ExpertOptions::Precision::kFp8)
      op.spec.bytes = InFp8(op.spec.bytes);
    op.spec.sizes = tables.Of(role.layer, op.spec.bytes, role.combines != backward);
  }
  if (experts->tables.empty()) return;
  for (const LineRole& role : roles) {
    const bool computes = options.compute && role.computes < experts->layers.size();
    experts->computes.push_back(computes ? role.computes : kNone);
  }
  program->experts = std::move(experts);
}

Time TimeOnRank(const Program& program, const ProgramStep& step, const ParallelGroups& groups,
                std::uint32_t rank) {
  if (program.experts == nullptr || step.kind != ProgramStep::Kind::kCompute) return step.time;
  const std::uint32_t layer = program.experts->computes[step.layer];
  if (layer == kNone) return step.time;
  const RoutedTokens& tokens = *program.experts->layers[layer];
  const std::uint64_t load = tokens.LoadOfRank(groups.RankIn(GroupType::kExpert, rank));
  const std::uint64_t mean = std::uint64_t{tokens.counts().tokens} * tokens.counts().top_k;
  return Time{static_cast<std::int64_t>(static_cast<__int128>(step.time.ps) * load / mean)};
}

std::string DescribeExperts(const Program& program) {
  if (program.experts == nullptr) return "";
  const ExpertOptions& options = program.experts->options;
  Skew expert, rank;
  std::uint64_t choices = 0, dropped = 0;
  for (const auto& tokens : program.experts->layers) {
    const auto all = static_cast<double>(tokens->choices_in_all());
    const std::vector<std::uint64_t>& loads = tokens->loads();
    for (std::uint32_t i = 0; i < loads.size(); ++i)
      expert.Add(i, static_cast<double>(loads[i]), all / static_cast<double>(loads.size()));
    for (std::uint32_t r = 0; r < tokens->ranks(); ++r)
      rank.Add(r, static_cast<double>(tokens->LoadOfRank(r)), all / tokens->ranks());
    choices += tokens->choices_in_all() + tokens->dropped();
    dropped += tokens->dropped();
  }
  const TokenCounts counts = program.experts->layers.front()->counts();
  std::string text = fmt::format(
      "experts          {} on {} ranks, {} of each token, {} tokens a rank, {}: expert {} has up "
      "to "
      "{:.2f} times the mean, rank {} of its group {:.2f} times, and paces the step",
      options.count, program.experts->layers.front()->ranks(), counts.top_k, counts.tokens,
      ToText(options.routing), expert.at, expert.ratio, rank.at, rank.ratio);
  if (options.capacity > 0)
    text += fmt::format("; {:.2f}% of choices dropped",
                        100.0 * static_cast<double>(dropped) / static_cast<double>(choices));
  return text + "\n";
}

}  // namespace heddle
