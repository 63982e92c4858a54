// SPDX-License-Identifier: GPL-2.0-only
/// Options of Ultra Ethernet, each with a scenario in which it matters.
#include <algorithm>

#include "tests/models/knob.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

double UecKnobsLastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}

/// Eight to one; three of the flows have the priority of mixed transports.
Observed Incast(const TransportOptions& options) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 1; i <= 8; ++i) flows.push_back(Flow(i, 0, 1'000'000, i <= 3 ? 4 : 3));
  return Simulate(Star(std::vector<Cable>(9, Cable{100})), flows, options);
}
double IncastTime(const TransportOptions& o) { return UecKnobsLastFct(Incast(o)); }
double Trimmed(const TransportOptions& o) {
  return static_cast<double>(Incast(o).books.trimmed_packets);
}
double TrimmedBytes(const TransportOptions& o) {
  return static_cast<double>(Incast(o).books.trimmed_bytes);
}
double UecDropped(const TransportOptions& o) {
  return static_cast<double>(Incast(o).books.dropped_packets);
}
double Marked(const TransportOptions& o) { return static_cast<double>(Incast(o).books.marked); }
double Timeouts(const TransportOptions& o) { return static_cast<double>(Incast(o).books.timeouts); }
double Hops(const TransportOptions& o) { return static_cast<double>(Incast(o).books.link_packets); }
/// A hash of all times, as a number: for options whose effect has no direction.
double UecKnobsFingerprint(const TransportOptions& o) {
  return static_cast<double>(Digest(Incast(o).flows) >> 12);
}

double Single(const TransportOptions& o) {
  return UecKnobsLastFct(Simulate(Row({{100}, {100}}), {Flow(0, 1, 3'000'000)}, o));
}
double LossySingle(const TransportOptions& o) {
  return UecKnobsLastFct(Simulate(Row({{100, kMicro, 0.02}, {100}}), {Flow(0, 1, 3'000'000)}, o));
}
/// A flow that meets another one half way.
double Meeting(const TransportOptions& o) {
  return static_cast<double>(
      Digest(Simulate(Star({{100}, {100}, {100}}),
                      {Flow(0, 2, 5'000'000), Flow(1, 2, 1'000'000, 3, 100 * kMicro)}, o)
                 .flows) >>
      12);
}
double Resent(const TransportOptions& o) {
  const LeafSpine fabric{4, 4, 4};
  return static_cast<double>(
      Simulate(fabric.Build(), Permutation(fabric.hosts(), Bytes{900'000}, 3), o)
          .books.resent_bytes);
}
double TimeoutsOfADeadLink(const TransportOptions& options) {
  TransportOptions o = options;
  o.convergence = MicroSeconds(10'000'000);
  return static_cast<double>(RunWith(Row({{100}, {100}}), {Flow(0, 1, 1'000'000)}, o,
                                     Outage(1, 10 * kMicro, 9'000'000 * kMicro))
                                 .books.timeouts);
}
/// Leaves of eight GPUs with two uplinks.
double TrimmedInANarrowCore(const TransportOptions& o) {
  const LeafSpine fabric{4, 8, 2};
  return static_cast<double>(
      Simulate(fabric.Build(), Permutation(fabric.hosts(), Bytes{900'000}, 3), o)
          .books.trimmed_packets);
}

}  // namespace

std::vector<Knob> UecKnobs() {
  const KnobSettings ultra = {{"transport.protocol", "uec"}};
  const auto with = [&](const KnobSettings& more) {
    KnobSettings all = ultra;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const KnobSettings credit = with({{"uec.congestion", "rccc"}});
  const KnobSettings drops = with({{"uec.trimming", "false"}, {"uec.queue_limit", "1"}});
  return {
      {"transport.protocol",
       "roce",
       "uec",
       Expect::kMore,
       "RoCE's classes are lossless",
       Trimmed,
       {}},
      {"transport.uec_priority",
       "3",
       "4",
       Expect::kLess,
       "three flows of eight have priority 4",
       Trimmed,
       {{"transport.protocol", "mixed"}}},
      {"uec.congestion", "nscc", "none", Expect::kMore, "nobody slows down", Trimmed, ultra},
      {"uec.mode", "rud", "rod", Expect::kMore, "what comes late is sent again", Resent,
       with({{"balance.ports", "random"}})},
      {"uec.mtu", "4150", "8214", Expect::kLess, "fewer headers", Single, ultra},
      {"uec.header", "64", "256", Expect::kMore, "less payload in a packet", Single, ultra},
      {"uec.control", "64", "512", Expect::kMore, "the last ACK takes longer", Single, ultra},
      {"uec.trimming", "true", "false", Expect::kMore, "what does not fit is lost", UecDropped,
       with({{"uec.queue_limit", "1"}})},
      {"uec.trimmed", "64", "1024", Expect::kLess, "less is cut off",
       [](const TransportOptions& o) { return TrimmedBytes(o) / Trimmed(o); }, ultra},
      {"uec.queue_limit", "1", "5", Expect::kLess, "more fits", Trimmed, ultra},
      {"uec.last_hop_limit", "1", "5", Expect::kLess, "more fits before the receiver", Trimmed,
       ultra},
      {"uec.kmin", "0.05", "0.75", Expect::kLess, "marks begin later", Marked, ultra},
      {"uec.kmax", "0.8", "40", Expect::kLess, "fewer are marked between", Marked, ultra},
      {"uec.ack_threshold", "4000", "65536", Expect::kLess, "fewer ACKs", Hops, credit},
      {"uec.min_rto", "auto", "5us", Expect::kMore, "queues take longer", Timeouts, ultra},
      {"uec.retries", "3", "20", Expect::kMore, "a dead link is tried longer", TimeoutsOfADeadLink,
       ultra},
      {"uec.sleek", "false", "true", Expect::kLess, "losses are seen before the timer", LossySingle,
       drops},
      {"uec.max_window", "1", "3", Expect::kMore, "more is sent at once", Trimmed, ultra},
      {"uec.initial_window", "0", "2", Expect::kLess, "less is sent at once", Trimmed, ultra},
      {"uec.target_delay", "auto", "1us", Expect::kLess, "windows shrink earlier", Marked, ultra},
      {"uec.gamma", "0.8", "0.1", Expect::kMore, "windows shrink less", Marked, ultra},
      {"uec.max_decrease", "0.5", "0.01", Expect::kMore, "windows shrink less", Marked, ultra},
      {"uec.eta", "0.15", "50", Expect::kMore, "windows grow faster", Marked, ultra},
      {"uec.fair_increase", "5", "500", Expect::kMore, "windows grow faster", Marked,
       with({{"uec.target_delay", "1us"}})},
      {"uec.proportional", "4", "0", Expect::kLess, "no direction", Meeting, ultra},
      {"uec.fast_scale", "0.25", "0", Expect::kMore, "no direction", Meeting, ultra},
      {"uec.fast_delay", "1us", "100ns", Expect::kMore, "no direction", Meeting, ultra},
      {"uec.quick_adapt_gate", "3", "0", Expect::kLess, "no direction", UecKnobsFingerprint, ultra},
      {"uec.quick_adapt_delay", "4", "0.1", Expect::kMore, "no direction", UecKnobsFingerprint,
       with({{"uec.queue_limit", "20"}})},
      {"uec.delay_gain", "0.0125", "0.5", Expect::kLess, "no direction", UecKnobsFingerprint,
       ultra},
      {"uec.adjust_packets", "8", "1", Expect::kLess, "no direction", UecKnobsFingerprint, ultra},
      {"uec.nack_lowers_rtt", "true", "false", Expect::kMore, "no direction", UecKnobsFingerprint,
       ultra},
      {"uec.spec_full_mtu", "false", "true", Expect::kLess, "no direction", UecKnobsFingerprint,
       ultra},
      {"uec.spec_needs_sample", "false", "true", Expect::kLess, "no direction", UecKnobsFingerprint,
       ultra},
      {"uec.spec_ack_request", "false", "true", Expect::kLess, "no direction", UecKnobsFingerprint,
       ultra},
      {"uec.pull", "16384", "4096", Expect::kMore, "more pulls", Hops, credit},
      {"uec.pull_rate", "0.99", "0.5", Expect::kMore, "half of the link", IncastTime, credit},
      {"uec.slow_pulls", "true", "false", Expect::kLess, "no credit ahead of demand", Hops, credit},
      {"uec.oversubscribed", "off", "on", Expect::kLess, "credit follows the core",
       TrimmedInANarrowCore, credit},
  };
}

}  // namespace heddle::testing
