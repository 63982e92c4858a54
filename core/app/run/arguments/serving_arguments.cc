// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/serving_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/check.h"
#include "io/serving/request_law_text.h"

namespace heddle {

void AddServingArguments(CLI::App* app, const std::string& group, ServingArguments* given) {
  app->add_option("--requests", given->requests,
                  "trace of Mooncake (JSON lines), Azure or BurstGPT (CSV), or a law: "
                  "poisson|constant|gamma,rate=R,count=N,input=TOKENS,output=TOKENS; TOKENS are N, "
                  "uniform:A-B or exponential:MEAN")
      ->type_name("FILE|LAW")
      ->group(group);
  app->add_option("--first", given->first, "requests of a trace that are used; 0: all")
      ->check(WholeNumber(0, 1'000'000'000))
      ->capture_default_str()
      ->group(group);
  app->add_option("--rate-scale", given->rate_scale,
                  "requests come so many times as fast as a trace has them")
      ->capture_default_str()
      ->type_name("NUMBER")
      ->group(group);
  app->add_option(
         "--rate", given->rate,
         "requests a second in the mean: in place of a law's rate, or the times of a trace "
         "are scaled to it; 0: as they are")
      ->capture_default_str()
      ->type_name("NUMBER")
      ->group(group);
  app->add_option("--deploy", given->deploy,
                  "a key of the deployment, with another value: pool.0.instances=2; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app->add_flag("--spread", given->spread,
                "requests of one time come evenly until the next time: for traces with ticks")
      ->group(group);
  app->add_option("--slo", given->slo,
                  "what a request must keep for goodput: ttft=2s,tpot=50ms,e2el=30s, or some of it")
      ->type_name("LIMITS")
      ->group(group);
}

void CheckServingArguments(const ServingArguments& given, bool serves) {
  constexpr double kLeastScale = 1e-3, kMostScale = 1e3, kLeastRate = 1e-4, kMostRate = 1e9;
  const bool scaled = given.first > 0 || given.rate_scale != 1 || given.spread;
  if (!serves && (!given.requests.empty() || scaled || given.rate != 0 || !given.slo.empty() ||
                  !given.deploy.empty()))
    throw UsageError(
        "--requests, --first, --rate-scale, --rate, --spread, --slo, --deploy: of requests to a "
        "model. Expected: --serve DEPLOYMENT.toml");
  if (serves && given.requests.empty())
    throw UsageError("--serve: there are no requests. Expected: --requests FILE|LAW");
  if (!(given.rate_scale >= kLeastScale && given.rate_scale <= kMostScale))
    throw UsageError("--rate-scale: out of range. Expected: a number from 0.001 to 1000");
  if (given.rate != 0 && !(given.rate >= kLeastRate && given.rate <= kMostRate))
    throw UsageError("--rate: out of range. Expected: a number from 0.0001 to 1000000000");
  if (given.rate != 0 && given.rate_scale != 1)
    throw UsageError("--rate and --rate-scale: both say how fast requests come. Expected: one");
  if (IsRequestLaw(given.requests) && scaled)
    throw UsageError(
        "--first, --rate-scale and --spread are of a trace. Expected: count= and rate= of the law");
  ParseServiceLevel(given.slo);
}

std::string IdentityOfRequests(const ServingArguments& given) {
  return fmt::format("{} first={} rate-scale={} rate={} spread={} slo={} {}",
                     IsRequestLaw(given.requests) ? given.requests : "", given.first,
                     given.rate_scale, given.rate, given.spread, given.slo,
                     fmt::join(given.deploy, " "));
}

ServiceLevel ParseServiceLevel(const std::string& text) {
  ServiceLevel level;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    std::optional<Time>* limit = key == "ttft"   ? &level.ttft
                                 : key == "tpot" ? &level.tpot
                                 : key == "e2el" ? &level.e2el
                                                 : nullptr;
    if (limit == nullptr || limit->has_value() || equals == word.size())
      throw UsageError("--slo: found '" + Printable(word) +
                       "'. Expected: ttft=2s,tpot=50ms,e2el=30s, or some of it");
    *limit = ParseTimeFlag("--slo " + std::string(key), std::string(word.substr(equals + 1)));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return level;
}

}  // namespace heddle
