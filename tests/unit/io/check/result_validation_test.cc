// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/result_validation.h"

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/made_result.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

std::string Text(const ResultValidation& found) {
  std::string text;
  for (const Finding& finding : found.findings) text += finding.place + ": " + finding.text + "\n";
  return text;
}

ResultValidation Validate(const MadeResult& result) {
  const std::string path = TempPath("r.h5");
  result.Write(path);
  return ValidateResult(path);
}

TEST(ResultValidation, WholeResultsAreValid) {
  const ResultValidation trace = Validate(TraceResult());
  EXPECT_EQ(Text(trace), "");
  EXPECT_EQ(trace.version, "3.14");
  EXPECT_EQ(trace.tables, 22U);
  EXPECT_EQ(trace.rows, 39U);
  EXPECT_FALSE(trace.digest_checked) << "a flow is unfinished";
  const ResultValidation job = Validate(JobResult());
  EXPECT_EQ(Text(job), "");
  EXPECT_TRUE(job.digest_checked);
}

struct Damage {
  const char* finding;  ///< start of the finding, with its place
  std::function<void(MadeResult&)> make;
};

/// Each kind of damage must give its own finding and no other.
void ExpectFindings(const std::function<MadeResult()>& whole, const std::vector<Damage>& damages) {
  for (const Damage& damage : damages) {
    MadeResult result = whole();
    damage.make(result);
    const ResultValidation found = Validate(result);
    ASSERT_FALSE(found.findings.empty()) << damage.finding;
    EXPECT_EQ(Text(found).substr(0, std::string(damage.finding).size()), damage.finding)
        << Text(found);
    EXPECT_EQ(found.findings.size(), 1U) << Text(found);
    EXPECT_NE(found.findings.front().text.find("Expected: "), std::string::npos) << Text(found);
  }
}

TEST(ResultValidation, StructureIsChecked) {
  using R = MadeResult&;
  ExpectFindings(
      TraceResult,
      {
          {"/flow_sizes: no such table", [](R r) { r.Remove("flow_sizes"); }},
          {"/queues: an unknown table",
           [](R r) {
             r.tables.push_back({"queues", "x", {{"a", "1", "x", U32{1}}}});
           }},
          {"/empty: an unknown group",
           [](R r) {
             r.tables.push_back({"empty", "x", {}});
           }},
          {"/jobs: a table that this run cannot have",
           [](R r) { r.tables.push_back(TableOf("jobs", 0)); }},
          {"/flows/colour: an unknown column",
           [](R r) {
             r.table("flows").columns.push_back({"colour", "1", "x", U8(3)});
           }},
          {"/flows/request: no such column", [](R r) { r.table("flows").columns.pop_back(); }},
          {"/drops: columns in another order",
           [](R r) { std::swap(r.column("drops", 0), r.column("drops", 3)); }},
          {"/ports/pauses: type u32. Expected: i64",
           [](R r) { r.column("ports", 6).data = U32{0}; }},
          {"/ports/paused_ps: unit 'ns'. Expected: 'ps'",
           [](R r) { r.column("ports", 7).unit = "ns"; }},
          {"/ports/paused_ps: no description", [](R r) { r.column("ports", 7).description = ""; }},
          {"/ports: no description", [](R r) { r.table("ports").description = ""; }},
      });
}

TEST(ResultValidation, AttributesAreChecked) {
  using R = MadeResult&;
  ExpectFindings(
      TraceResult,
      {
          {"attribute seed: missing", [](R r) { r.root.erase("seed"); }},
          {"attribute seed: type text. Expected: i64", [](R r) { r.root["seed"] = "1"; }},
          {"attribute colour: unknown", [](R r) { r.root["colour"] = "red"; }},
          {"attribute ranks: unknown", [](R r) { r.root["ranks"] = std::int64_t{2}; }},
          {"attribute until_ps: unknown", [](R r) { r.root["until_ps"] = std::int64_t{2}; }},
          {"attribute flows_recorded: 'some'. Expected: all, none or sample:N",
           [](R r) { r.root["flows_recorded"] = "some"; }},
          {"attribute deadlock: ''. Expected: the cycle of ports, or no attribute",
           [](R r) { r.root["deadlock"] = ""; }},
          {"attribute deadlock: there, and all flows finished",
           [](R r) { r.root["deadlock"] = "a", r.root["flows_planned"] = std::int64_t{2}; }},
          {"attribute topology_digest: 'xyz'. Expected: 16",
           [](R r) { r.root["topology_digest"] = "xyz"; }},
          {"attribute packet_hops: -7. Expected: 0 or more",
           [](R r) { r.root["packet_hops"] = std::int64_t{-7}; }},
          {"attribute /run@engine: missing", [](R r) { r.run.erase("engine"); }},
          {"attribute /run@run_seconds: nan. Expected: a finite number",
           [](R r) { r.run["run_seconds"] = std::nan(""); }},
      });
}

TEST(ResultValidation, ValuesAreChecked) {
  using R = MadeResult&;
  ExpectFindings(
      TraceResult,
      {
          {"/flows/src: row 2 is 6. Expected: below 6, the number of GPUs and NVSwitches",
           [](R r) { r.values<std::uint32_t>("flows", "src")[2] = 6; }},
          {"/flows/fct_ps: row 0 is -2, and 1 more. Expected: -1, or 0 to 3000",
           [](R r) {
             r.values<std::int64_t>("flows", "fct_ps") = {-2, 9000, -1};
           }},
          {"/flows/state: row 1 is 6. Expected: 0 to 5",
           [](R r) { r.values<std::uint8_t>("flows", "state")[1] = 6; }},
          {"/flows/priority: row 1 is 8. Expected: 0 to 7",
           [](R r) { r.values<std::uint8_t>("flows", "priority")[1] = 8; }},
          {"/drops/node: row 1 is 7. Expected: below 7, the number of nodes",
           [](R r) { r.values<std::uint32_t>("drops", "node")[1] = 7; }},
          {"/ports/port: row 0 is 2. Expected: below 2, the number of ports of node 0",
           [](R r) { r.values<std::uint32_t>("ports", "port")[0] = 2; }},
          {"/controller/paths/port: row 1 is 4. Expected: below 4",
           [](R r) { r.values<std::uint16_t>("controller/paths", "port")[1] = 4; }},
          {"/controller/paths/row: row 1 is 2. Expected: below 2, the number of rows",
           [](R r) { r.values<std::int64_t>("controller/paths", "row")[1] = 2; }},
          {"/controller/requests/src: row 0 is 4. Expected: below 4, the number of GPUs",
           [](R r) { r.values<std::uint32_t>("controller/requests", "src")[0] = 4; }},
          {"/drops/reason: row 1 is 'lost'. Expected: one of buffer full",
           [](R r) { r.values<std::string>("drops", "reason")[1] = "lost"; }},
          {"/tier_load/utilisation: row 1 is inf. Expected: a finite",
           [](R r) {
             r.values<double>("tier_load", "utilisation")[1] =
                 std::numeric_limits<double>::infinity();
           }},
          {"/monitors/queues/time_ps: row 1 is 3001. Expected: 0 to 3000",
           [](R r) { r.values<std::int64_t>("monitors/queues", "time_ps")[1] = 3001; }},
          {"/topology: ", [](R r) { r.values<std::uint32_t>("topology/links", "a")[0] = 4; }},
      });
}

TEST(ResultValidation, WordsOfCollectivesAreChecked) {
  MadeResult result = JobResult();
  result.values<std::string>("collectives", "algorithm")[0] = "PHASES";
  result.values<std::string>("collectives", "protocol")[0] = "NONE";
  result.values<std::string>("collectives", "group_type")[0] = "ALL";
  result.values<std::string>("operations", "group_type")[0] = "ALL";
  EXPECT_EQ(Text(Validate(result)), "");
  using R = MadeResult&;
  ExpectFindings(
      JobResult,
      {
          {"/collectives/algorithm: row 0 is 'PHASE'. Expected: one of RING, TREE, NVLS, "
           "NVLS_TREE, DIRECT, PAT, NVLS_MULTIMEM, COLLNET_DIRECT, COLLNET_CHAIN, NVLS_COLLNET, "
           "NVLS_TREE_MULTIMEM, CUSTOM, PHASES",
           [](R r) { r.values<std::string>("collectives", "algorithm")[0] = "PHASE"; }},
          {"/operations/group_type: row 0 is 'all'. Expected: one of TP, DP, PP, EP, DP_EP, ALL, "
           "CP, "
           "LISTED",
           [](R r) { r.values<std::string>("operations", "group_type")[0] = "all"; }},
      });
}

/// Several flows of a source may never have started, and have no numbers.
TEST(ResultValidation, FlowsWithoutNumbersMayRepeat) {
  MadeResult result = TraceResult();
  result.values<std::uint32_t>("flows", "number") = {~0U, ~0U, 0};
  EXPECT_EQ(Text(Validate(result)).find("has the keys"), std::string::npos);
  result.values<std::uint32_t>("flows", "number") = {~0U - 1, ~0U - 1, 0};
  EXPECT_NE(Text(Validate(result)).find("has the keys"), std::string::npos);
}

TEST(ResultValidation, OrderOfRowsIsChecked) {
  using R = MadeResult&;
  ExpectFindings(
      TraceResult,
      {
          {"/flows: row 1 has the keys of the row before",
           [](R r) { r.values<std::uint32_t>("flows", "number")[1] = 0; }},
          {"/flows: row 2 comes before the row above it. Expected: rows by src, number, each once",
           [](R r) {
             r.values<std::uint32_t>("flows", "src") = {1, 2, 0};
           }},
          {"/drops: row 1 comes before",
           [](R r) {
             r.values<std::string>("drops", "reason") = {"wire error", "buffer full"};
           }},
          {"/pause_causes: row 1 comes before the row above it. Expected: rows by paused_ps "
           "descending, node, port",
           [](R r) {
             r.values<std::int64_t>("pause_causes", "paused_ps") = {100, 500};
           }},
          {"/monitors/queues: row 1 comes before the row above it. Expected: rows by time_ps, "
           "node, port, priority, then the other columns",
           [](R r) {
             r.values<std::int64_t>("monitors/queues", "queued_bytes") = {6, 5};
           }},
          {"/controller/requests: row 1 comes before",
           [](R r) {
             r.values<std::int64_t>("controller/requests", "decided_ps") = {6, 5};
           }},
          {"/tier_load: row 1 comes before",
           [](R r) {
             r.values<std::string>("tier_load", "tier") = {"host to leaf", "NVLink"};
           }},
      });
}

/// Two GPUs, above each a row of `levels` switches, and at every level a cable between the two.
Graph Ladder(std::uint32_t levels) {
  Graph graph(2, 0, 2 * levels, 1, "H100");
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), {100'000'000'000}, NanoSeconds(500), 0});
  };
  for (std::uint32_t level = 0; level <= levels; ++level) {
    add(2 * level, 2 * level + 1);
    if (level < levels) add(2 * level, 2 * level + 2);
    if (level < levels) add(2 * level + 1, 2 * level + 3);
  }
  return graph;
}

/// For every fabric, in the order in which a run writes tiers (GatherTierLoad).
TEST(ResultValidation, TiersOfEveryFabricAreValid) {
  for (const std::uint32_t levels : {2U, 4U, 20U}) {
    I64 from, to;
    Texts names;
    const LinkTiers tiers(Ladder(levels));
    for (const LinkTiers::Tier& tier : tiers.tiers()) {
      from.insert(from.end(), {0, 1000});
      to.insert(to.end(), {1000, 3000});
      names.insert(names.end(), 2, tier.name);
    }
    EXPECT_EQ(names.size() / 2, 3 * std::min(levels, 9U) + 1)
        << "but for NVLink, all of the levels";
    MadeResult result = TraceResult();
    result.table("tier_load") =
        TableOf("tier_load", names.size(), {{"from_ps", from}, {"to_ps", to}, {"tier", names}});
    EXPECT_EQ(Text(Validate(result)), "") << levels;
    result.values<std::string>("tier_load", "tier").back() = "level 10 to level 9";
    EXPECT_NE(
        Text(Validate(result)).find("'level 10 to level 9'. Expected: one of NVLink, host to host"),
        std::string::npos);
  }
}

/// The last sample is at the end of the run at the latest.
TEST(ResultValidation, SamplesAreNotAfterTheEnd) {
  MadeResult result = TraceResult();
  std::int64_t& last = result.values<std::int64_t>("monitors/queues", "time_ps")[1];
  last = 3000;
  EXPECT_EQ(Text(Validate(result)), "");
  last = 3001;
  EXPECT_EQ(Text(Validate(result)),
            "/monitors/queues/time_ps: row 1 is 3001. Expected: 0 to 3000 (simulated_ps)\n");
}

TEST(ResultValidation, OrderIsCheckedAcrossBlocks) {
  constexpr std::size_t kRows = 200'000;
  MadeResult result = TraceResult();
  I64 times(kRows);
  for (std::size_t i = 0; i < kRows; ++i) times[i] = static_cast<std::int64_t>(i / 100);
  result.table("monitors/queues") = TableOf("monitors/queues", kRows, {{"time_ps", times}});
  EXPECT_EQ(Text(Validate(result)), "");
  // The last row of the first block.
  result.values<std::int64_t>("monitors/queues", "time_ps")[65535] = 3000;
  EXPECT_EQ(Text(Validate(result)),
            "/monitors/queues: row 65536 comes before the row above it. Expected: rows by time_ps, "
            "node, port, "
            "priority, then the other columns\n");
}

TEST(ResultValidation, SumsAreChecked) {
  using R = MadeResult&;
  ExpectFindings(
      TraceResult,
      {
          {"/flows/state: 1 flows contradict fct_ps",
           [](R r) { r.values<std::uint8_t>("flows", "state")[1] = 3; }},
          {"/flows/received_ps: 1 finished flows arrived never or after fct_ps",
           [](R r) { r.values<std::int64_t>("flows", "received_ps")[0] = 1001; }},
          {"/flows: a flow ends at 3001 ps. Expected: at most simulated_ps, 3000",
           [](R r) { r.values<std::int64_t>("flows", "start_ps")[1] = 1001; }},
          {"/flows: 1 unfinished flows. Expected: at most 0",
           [](R r) { r.root["flows_planned"] = std::int64_t{2}; }},
          {"/flow_sizes: other flows, bytes or fct_max_ps than the rows of /flows",
           [](R r) { r.values<std::int64_t>("flow_sizes", "bytes")[0] = 999; }},
          {"/fct_histogram/flows: 3 in all. Expected: 2",
           [](R r) { r.values<std::int64_t>("fct_histogram", "flows")[0] = 2; }},
          {"/flow_sizes, /slowdown_histogram or /fct_histogram: 1 rows end before they begin",
           [](R r) { r.values<double>("slowdown_histogram", "slowdown_to")[0] = 0.5; }},
          {"/ports/sent_packets: 8 in all. Expected: 7",
           [](R r) { r.values<std::int64_t>("ports", "sent_packets")[0] = 8; }},
          {"/run/ranks/packet_hops: 8 in all. Expected: 7",
           [](R r) { r.values<std::int64_t>("run/ranks", "packet_hops")[0] = 4; }},
          {"/run/ranks: 2 rows. Expected: 3", [](R r) { r.run["ranks"] = std::int64_t{3}; }},
      });
  ExpectFindings(JobResult,
                 {
                     {"/jobs/end_ps: -1 of job 0. Expected: 3000",
                      [](R r) { r.values<std::int64_t>("jobs", "end_ps")[0] = -1; }},
                     {"/ranks: 2 rows of job 0. Expected: 3",
                      [](R r) { r.values<std::uint32_t>("jobs", "gpus")[0] = 3; }},
                     {"/ranks/job: row 1 is 1. Expected: below 1, the number of rows of /jobs",
                      [](R r) { r.values<std::uint32_t>("ranks", "job")[1] = 1; }},
                     {"attribute flows_digest: ",
                      [](R r) { r.values<std::uint32_t>("flows", "chunk")[1] = 1; }},
                 });
}

TEST(ResultValidation, FlowsWithoutAnIdealTimeHaveNoSlowdown) {
  MadeResult result = ResultWithoutAnIdealTime();
  EXPECT_EQ(Text(Validate(result)), "");
  result.root["flows_recorded"] = "sample:2";
  EXPECT_EQ(Text(Validate(result)), "");
}

TEST(ResultValidation, SlowdownsAreThoseOfFlowsWithAnIdealTime) {
  using R = MadeResult&;
  ExpectFindings(ResultWithoutAnIdealTime,
                 {
                     {"/slowdown_histogram: 0 flows of 512 bytes and more. Expected: 1, ",
                      [](R r) { r.values<std::int64_t>("flows", "ideal_ps")[0] = 1000; }},
                     {"/slowdown_histogram: 1 flows of 2048 bytes and more. Expected: 0, ",
                      [](R r) { r.values<std::int64_t>("flows", "ideal_ps")[1] = 0; }},
                     {"/slowdown_histogram: 2 flows of 2048 bytes and more. Expected: 1, ",
                      [](R r) { r.values<std::int64_t>("slowdown_histogram", "flows")[0] = 2; }},
                     {"/slowdown_histogram: 1 flows of 1024 bytes and more. Expected: 0, ",
                      [](R r) {
                        r.values<std::int64_t>("slowdown_histogram", "from_bytes")[0] = 1024;
                        r.values<std::int64_t>("flows", "ideal_ps")[1] = 0;
                      }},
                 });
  MadeResult sampled = TraceResult();
  sampled.root["flows_recorded"] = "sample:2";
  sampled.values<std::int64_t>("slowdown_histogram", "flows")[1] = 2;
  EXPECT_EQ(Text(Validate(sampled))
                .find("/slowdown_histogram: 2 flows of 2048 bytes and more. Expected: 1, "),
            0U);
}

TEST(ResultValidation, DigestOfJobsIsNotJudgedWherePacketsMayHaveBeenSentAgain) {
  MadeResult result = JobResult();
  result.root["flows_digest"] = "0123456789abcdef";
  result.root["option reliability.timeout"] = "2ns";
  EXPECT_EQ(Text(Validate(result)), "");
  EXPECT_FALSE(Validate(result).digest_checked);
}

TEST(ResultValidation, FilesThatCannotBeReadAreInvalid) {
  const std::string path = TempPath("text.h5");
  WriteBytes(path, "not HDF5");
  EXPECT_NE(Text(ValidateResult(path)).find("open it as an HDF5 file"), std::string::npos)
      << Text(ValidateResult(path));
  EXPECT_NE(Text(ValidateResult(path + "no")).find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace heddle
