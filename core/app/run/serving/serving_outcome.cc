// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/serving_outcome.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

void CheckTokens(const ServingOutcome& outcome) {
  std::int64_t generated = 0, expected = 0;
  const ServingPlan& plan = outcome.input.plan;
  for (const InstanceTotals& totals : outcome.totals) {
    const bool counts = plan.instances[totals.instance].role != InstanceRole::kPrefill ||
                        plan.first_token == FirstToken::kPrefill;
    if (counts) generated += totals.generated;
  }
  for (std::size_t i = 0; i < outcome.times.size(); ++i) expected += outcome.times[i].tokens;
  HEDDLE_INVARIANT(generated == expected,
                   "serving: tokens were generated that no request has, or the reverse");
}

}  // namespace

ServingOutcome OutcomeOf(const ServingInput& input, ServingRecords records) {
  ServingOutcome outcome{
      input, {}, std::move(records.totals), {}, 0, records.sent_bytes, records.step_bytes};
  std::sort(
      outcome.totals.begin(), outcome.totals.end(),
      [](const InstanceTotals& a, const InstanceTotals& b) { return a.instance < b.instance; });
  outcome.times = JoinRecords(input.plan, input.requests, records.records, &records.gaps);
  outcome.figures = FiguresOfServing(input.requests, outcome.times, records.gaps);
  outcome.good = CountGood(input.requests, outcome.times, input.slo);
  CheckTokens(outcome);
  return outcome;
}

}  // namespace heddle
