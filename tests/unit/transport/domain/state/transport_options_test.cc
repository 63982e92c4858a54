// SPDX-License-Identifier: GPL-2.0-only
/// The transport's options: their texts, and that each changes what it should.
#include "transport/domain/state/transport_options.h"

#include <gtest/gtest.h>

#include "core/options/options.h"
#include "io/simai/unused_simai_keys.h"
#include "tests/support/simulate.h"

namespace heddle::testing {
namespace {

TransportOptions With(const std::string& key, const std::string& value) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set(key, value);
  return options;
}

std::string ErrorOf(const std::string& key, const std::string& value) {
  try {
    With(key, value);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(TransportOptions, SendLatencyForms) {
  EXPECT_EQ(With("AS_SEND_LAT", "3").send_latency, MicroSeconds(3));
  EXPECT_EQ(With("AS_SEND_LAT", "0.5").send_latency, NanoSeconds(500));
  EXPECT_EQ(With("AS_SEND_LAT", "7200ns").send_latency, NanoSeconds(7200));
  EXPECT_EQ(With("flow.send_latency", "100").send_latency, MicroSeconds(100));
  EXPECT_NE(ErrorOf("AS_SEND_LAT", "2s"), "");
  TransportOptions refused;
  OptionSet options;
  refused.Declare(&options);
  EXPECT_THROW(options.Set("AS_SEND_LAT", "2s"), UserError);
  EXPECT_EQ(refused.send_latency, TransportOptions().send_latency);
  EXPECT_NE(ErrorOf("AS_SEND_LAT", "-3"), "");
  EXPECT_NE(ErrorOf("AS_SEND_LAT", "soon"), "");
}

/// compat.simai decides the unit, before or after the number.
TEST(TransportOptions, SendLatencyHasTheUnitOfSimaisVersion) {
  for (const bool version_first : {true, false}) {
    TransportOptions transport;
    OptionSet options;
    transport.Declare(&options);
    if (version_first) options.Set("compat.simai", "1.7");
    options.Set("AS_SEND_LAT", "3000");
    if (!version_first) {
      EXPECT_THROW(transport.CheckSendLatency(), UserError);
      options.Set("compat.simai", "1.7");
    }
    EXPECT_NO_THROW(transport.CheckSendLatency());
    EXPECT_EQ(transport.send_latency, MicroSeconds(3)) << version_first;
    options.Set("AS_SEND_LAT", "2000000");
    EXPECT_THROW(transport.CheckSendLatency(), UserError);
    options.Set("AS_SEND_LAT", "2ms");
    EXPECT_NO_THROW(transport.CheckSendLatency());
    options.Set("compat.simai", "1.6");
    EXPECT_EQ(transport.send_latency, MicroSeconds(2000)) << "it has a unit";
  }
}

TEST(TransportOptions, SendLatencyTooLongNamesTheOtherUnit) {
  try {
    With("AS_SEND_LAT", "7200").CheckSendLatency();
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("7200ns"), std::string::npos) << error.what();
  }
}

/// Section 3 of SimAI's reference: every key is used, or listed with the reason why not.
TEST(TransportOptions, EverySimaiKeyIsKnown) {
  TransportOptions transport;
  OptionSet options;
  transport.Declare(&options);
  DeclareUnusedSimaiKeys(&options);
  const char* keys[] = {"ENABLE_QCN",
                        "USE_DYNAMIC_PFC_THRESHOLD",
                        "CLAMP_TARGET_RATE",
                        "PAUSE_TIME",
                        "DATA_RATE",
                        "LINK_DELAY",
                        "PACKET_PAYLOAD_SIZE",
                        "L2_CHUNK_SIZE",
                        "L2_ACK_INTERVAL",
                        "L2_BACK_TO_ZERO",
                        "FLOW_FILE",
                        "TRACE_FILE",
                        "TRACE_OUTPUT_FILE",
                        "ENABLE_TRACE",
                        "SIMULATOR_STOP_TIME",
                        "CC_MODE",
                        "ALPHA_RESUME_INTERVAL",
                        "RATE_DECREASE_INTERVAL",
                        "RP_TIMER",
                        "EWMA_GAIN",
                        "FAST_RECOVERY_TIMES",
                        "RATE_AI",
                        "RATE_HAI",
                        "MIN_RATE",
                        "DCTCP_RATE_AI",
                        "ERROR_RATE_PER_LINK",
                        "FCT_OUTPUT_FILE",
                        "PFC_OUTPUT_FILE",
                        "HAS_WIN",
                        "GLOBAL_T",
                        "VAR_WIN",
                        "FAST_REACT",
                        "MULTI_RATE",
                        "SAMPLE_FEEDBACK",
                        "U_TARGET",
                        "MI_THRESH",
                        "INT_MULTI",
                        "PINT_LOG_BASE",
                        "PINT_PROB",
                        "RATE_BOUND",
                        "ACK_HIGH_PRIO",
                        "NIC_TOTAL_PAUSE_TIME",
                        "LINK_DOWN",
                        "KMAX_MAP",
                        "KMIN_MAP",
                        "PMAX_MAP",
                        "BUFFER_SIZE",
                        "QLEN_MON_FILE",
                        "BW_MON_FILE",
                        "RATE_MON_FILE",
                        "CNP_MON_FILE",
                        "MON_START",
                        "MON_END",
                        "QP_MON_INTERVAL",
                        "QLEN_MON_INTERVAL",
                        "BW_MON_INTERVAL"};
  for (const char* key : keys) EXPECT_TRUE(options.Knows(key)) << key;
  for (const UnusedKey& key : options.unused_keys())
    EXPECT_GT(key.reason.size(), 10U) << key.simai_key;
}

TEST(TransportOptions, RangesAreChecked) {
  EXPECT_NE(ErrorOf("PACKET_PAYLOAD_SIZE", "0"), "");
  EXPECT_EQ(With("PACKET_PAYLOAD_SIZE", "65441").payload, 65441);
  EXPECT_NE(ErrorOf("PACKET_PAYLOAD_SIZE", "65442"), "");
  EXPECT_NE(ErrorOf("BUFFER_SIZE", "0"), "");
  EXPECT_NE(ErrorOf("L2_ACK_INTERVAL", "0"), "");
}

/// GPUs 0 and 1 over two switches, GPUs 2 and 3 over one: the windows of the pairs differ.
Graph TwoPaths() {
  Graph graph(4, 0, 3, 1, "X");
  const auto link = [&](std::uint32_t a, std::uint32_t b, std::int64_t ns) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, NanoSeconds(ns), 0});
  };
  link(0, 4, 90);
  link(4, 5, 90);
  link(5, 1, 180);
  link(2, 6, 360);
  link(6, 3, 360);
  return graph;
}

FlowRequest Flow(std::uint32_t from, std::uint32_t to, std::int64_t size) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{size};
  return flow;
}

std::int64_t Fct(const Observed& o) { return GetColumn<std::int64_t>(o.flows, "fct_ps").at(0); }

TEST(TransportOptions, PayloadSetsThePackets) {
  // 9000 B from 2 to 3: one packet, or nine of 1000 (1052 B: 84,160 ps).
  EXPECT_EQ(Fct(Simulate(TwoPaths(), {Flow(2, 3, 9000)})), 2 * 724160 + 2 * 4800 + 4 * 360000);
  const Observed small =
      Simulate(TwoPaths(), {Flow(2, 3, 9000)}, With("PACKET_PAYLOAD_SIZE", "1000"));
  EXPECT_EQ(Fct(small), 10 * 84160 + 2 * 4800 + 4 * 360000);
  EXPECT_EQ(small.books.link_packets, 2 * 9 * 2);
}

TEST(TransportOptions, WindowAndPairWindow) {
  // Pair (2, 3): 4 * 360 + 2 * 720 = 2880 ns: 36,000 B, 4 packets; pair (0, 1): 2 * 360 + 3 * 720 =
  // 2880 ns as well, 4 packets; unloaded round trips 2 * 728.96 + 1440 = 2897.92 ns and 3 * 728.96
  // + 720 = 2906.88 ns, 4 packets take 2896.64: both are bound by either window.
  const Observed bound = Simulate(TwoPaths(), {Flow(0, 1, 80 * 9000)});
  EXPECT_EQ(Fct(bound), 19 * 2906880 + 3 * 724160 + 2906880);
  const Observed free = Simulate(TwoPaths(), {Flow(0, 1, 80 * 9000)}, With("HAS_WIN", "0"));
  EXPECT_EQ(Fct(free), 79 * 724160 + 2906880);
  // A far slower third pair raises the largest window; only the pair's own then binds.
  const Graph two_paths = TwoPaths();
  Graph graph(6, 0, 4, 1, "X");
  for (const Link& link : two_paths.links()) {
    const auto shift = [](NodeId n) { return NodeId(n.value < 4 ? n.value : n.value + 2); };
    graph.AddLink({shift(link.a), shift(link.b), link.rate, link.delay, 0});
  }
  graph.AddLink({NodeId(4), NodeId(9), BitRate{100'000'000'000}, MicroSeconds(50), 0});
  graph.AddLink({NodeId(5), NodeId(9), BitRate{100'000'000'000}, MicroSeconds(50), 0});
  EXPECT_EQ(Fct(Simulate(graph, {Flow(0, 1, 80 * 9000)})), 79 * 724160 + 2906880);
  EXPECT_EQ(Fct(Simulate(graph, {Flow(0, 1, 80 * 9000)}, With("transport.pair_window", "true"))),
            Fct(bound));
}

TEST(TransportOptions, AckIntervalThinsAcks) {
  // 10 packets over 2 links. An ACK at 9000, .. each; with 27,000: at packets 3, 6, 9 and at the
  // end.
  const Observed each = Simulate(TwoPaths(), {Flow(2, 3, 90000)}, With("HAS_WIN", "0"));
  EXPECT_EQ(each.books.link_packets, 2 * (10 + 10));
  TransportOptions options = With("L2_ACK_INTERVAL", "27000");
  options.has_window = false;
  const Observed few = Simulate(TwoPaths(), {Flow(2, 3, 90000)}, options);
  EXPECT_EQ(few.books.link_packets, 2 * (10 + 4));
  EXPECT_EQ(Fct(few), Fct(each));
  EXPECT_EQ(few.books.injected_bytes, 90000 + 10 * 52 + 4 * 60);
}

TEST(TransportOptions, PacketsWithEntropiesAreAcknowledgedEach) {
  TransportOptions options = With("L2_ACK_INTERVAL", "27000");
  options.reliability.simai_acks = true;
  EXPECT_EQ(options.Resolved().reliability.ack_interval, 27000);
  EXPECT_TRUE(options.Resolved().reliability.simai_acks);
  options.entropy.scheme = EntropyOptions::Scheme::kReps;
  EXPECT_EQ(options.Resolved().reliability.ack_interval, 1);
  EXPECT_FALSE(options.Resolved().reliability.simai_acks);
  options.protocol = TransportOptions::Protocol::kUec;  // no RoCE packet leaves a server
  EXPECT_EQ(options.Resolved().reliability.ack_interval, 27000);
}

TEST(TransportOptions, TruncationCutsEachSerialisation) {
  // 724.16 ns becomes 724, 4.8 becomes 4.
  const Observed outcome =
      Simulate(TwoPaths(), {Flow(2, 3, 9000)}, With("compat.truncate_ns", "true"));
  EXPECT_EQ(Fct(outcome), 2 * 724000 + 2 * 4000 + 4 * 360000);
}

}  // namespace
}  // namespace heddle::testing
