// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_options.h"

#include "core/options/options.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
const char* const kSeed = "Broadcom, CAST white paper, table 1";
const char* const kRccl = "RCCL, net_ib_cast/scheduler.cc";

/// "message: a message ...; single: every request ..."
std::string SchemeHelp() {
  std::string text;
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) {
    if (!text.empty()) text += "; ";
    text += std::string(scheme.name) + ": " + scheme.does;
  }
  return text;
}

std::vector<std::string> SchemeNames() {
  std::vector<std::string> names;
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) names.emplace_back(scheme.name);
  return names;
}

}  // namespace

const char* SchedulerFor(bool split, bool enable) {
  if (split) return enable ? CastStripes::kTraits.name : EqualStripes::kTraits.name;
  return enable ? CastTokens::kTraits.name : QueuePairsInTurn::kTraits.name;
}

bool RequestOptions::divides() const { return TraitsOfScheme(scheduler).divides; }

bool RequestOptions::casts() const { return TraitsOfScheme(scheduler).measures; }

void RequestOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"requests", "requests of a message and their queue pairs", "docs/models/cast.md"});
  options->Add({"requests.scheduler",
                "",
                "which queue pairs get what of a message. " + SchemeHelp(),
                "",
                "heddle; NCCL: round-robin",
                {"NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_QP_SCHED_ENABLE"}},
               &scheduler, SchemeNames());
  options->Add({"requests.size", "", "bytes of a request of a collective", "byte",
                "NCCL: NCCL_BUFFSIZE of 4 MiB in 8 steps"},
               &size, 1, kMostBytes);
  options->Add(
      {"requests.send_recv_size", "", "bytes of a request of send and receive, as in an all-to-all",
       "byte", "NCCL: NCCL_P2P_NET_CHUNKSIZE"},
      &send_recv_size, 1, kMostBytes);
  options->Add({"requests.in_flight", "",
                "requests of a connection that are posted and not yet seen complete", "request",
                "NCCL: the 8 steps of a buffer"},
               &in_flight, 1, 65'536);
  options->Add({"requests.stripe_start", "",
                "the queue pair that gets the first part of a stripe: the same, or the next one "
                "each time",
                "", "RCCL: same with CAST"},
               &stripe_start);
  DeclareCast(options);
  polling.Declare(options);
}

void RequestOptions::DeclareCast(OptionSet* options) {
  options->AddGroup({"cast", "Broadcom's congestion-aware sprayed traffic: weights of queue pairs",
                     "docs/models/cast.md"});
  options->Add({"cast.estimator", "",
                "how samples become an estimate: average since the last reset, weighted by "
                "cast.weight, tcp (weight 0.125); auto: weighted if cast.weight is above 0, else "
                "average",
                "", kSeed},
               &estimator);
  options->Add({"cast.weight",
                "",
                "weight of a new sample in the weighted average; 0: average",
                "",
                kSeed,
                {"NCCL_IB_QP_SCHED_WEIGHT"}},
               &weight, 0.0, 1.0);
  options->Add({"cast.metric", "",
                "what a sample is: the round trip without the payload's time (rccl), and also "
                "without the network's least latency (paper)",
                "", kRccl},
               &metric);
  options->Add({"cast.metric_floor", "", "least sample of the metric paper", "us",
                "heddle; without one, weights on an idle network would be noise"},
               &metric_floor, NanoSeconds(1), MicroSeconds(1'000'000), "us");
  options->Add({"cast.weights", "",
                "weights from estimates: filtered, inverse to the least sample plus what an "
                "estimate exceeds the least one by; inverse, to the estimate itself",
                "", "Broadcom, CAST white paper: filtered"},
               &weights);
  options->Add({"cast.reset_interval",
                "",
                "after this time the averages begin anew; 0: never",
                "ms",
                kSeed,
                {"NCCL_IB_QP_SCHED_RESET_INTERVAL"}},
               &reset_interval, Time{0}, MicroSeconds(100'000'000'000), "ms");
  options->Add({"cast.update_interval",
                "",
                "least time between two computations of the weights",
                "us",
                kSeed,
                {"NCCL_IB_QP_SCHED_UPDATE_INTERVAL"}},
               &update_interval, MicroSeconds(1), MicroSeconds(60'000'000), "us");
  DeclareSplit(options);
}

void RequestOptions::DeclareSplit(OptionSet* options) {
  options->Add({"cast.split_min",
                "",
                "cast-stripe divides a request only if each queue pair would get so much in equal "
                "parts",
                "byte",
                kSeed,
                {"NCCL_IB_QP_SCHED_SPLIT_DATA_MIN"}},
               &split_min, 0, kMostBytes);
  options->Add({"cast.wrr",
                "",
                "whether cast-stripe sends requests below cast.split_min by tokens instead of "
                "round robin",
                "",
                kSeed,
                {"NCCL_IB_QP_SCHED_WRR_ENABLE"}},
               &wrr);
  options->Add(
      {"cast.tokens", "",
       "tokens of a round, shared by weight and rounded, at least one a queue pair", "", kRccl},
      &tokens, 1, 1'000'000);
  options->Add({"cast.token_update", "",
                "what new weights do to a round that has begun: clamp its tokens to the new ones, "
                "or keep them",
                "", kRccl},
               &token_update);
  options->Add({"cast.probe", "",
                "a queue pair whose part of a stripe is rounded down to nothing gets 128 bytes, so "
                "that its round trip is still measured; otherwise nothing",
                "", "heddle; RCCL posts an empty request"},
               &probe);
}

}  // namespace heddle
