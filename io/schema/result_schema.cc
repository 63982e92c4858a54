// SPDX-License-Identifier: GPL-2.0-only
#include "io/schema/result_schema.h"

#include <utility>

#include "core/records/collective_algorithm.h"
#include "io/schema/schema_columns.h"
#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

using namespace schema;  // NOLINT(google-build-using-namespace): words of the table below

ColumnSchema Phase() { return Word("phase", {"fwd", "ig", "wg"}); }
ColumnSchema Operation() {
  return Word("op", {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "BROADCAST", "REDUCE",
                     "SENDRECV"});
}
ColumnSchema GroupType() {
  return Word("group_type", {"TP", "DP", "PP", "EP", "DP_EP", "ALL", "CP", "LISTED"});
}

std::vector<TableSchema> FlowTables() {
  const auto unnumbered = [](TableSchema flows) {
    flows.equal_keys = EqualKeys::kUnnumbered;
    return flows;
  };
  return {
      unnumbered(Sorted("flows", Present::kAlways, {"src", "number"},
                        {Node("src", Values::kHost),
                         Node("dst", Values::kHost),
                         Number("number"),
                         Number("message"),
                         {"source_port", kU16, "1"},
                         {"destination_port", kU16, "1"},
                         Small("priority", 7),
                         {"size_bytes", kI64, "byte", Values::kPositive},
                         Moment("start_ps", Values::kCount),
                         Moment("fct_ps", Values::kTimeOrNone),
                         Moment("received_ps", Values::kTimeOrNone),
                         Duration("ideal_ps"),
                         Small("state", 5),
                         In(Present::kJobs, {"job", kU16, "1", Values::kJob}),
                         In(Present::kJobs, Number("operation")),
                         In(Present::kJobs, {"channel", kU16, "1"}),
                         In(Present::kJobs, Number("chunk")),
                         In(Present::kController, Number("request"))})),
      Sorted("recovery", Present::kAlways, {"src", "number"},
             {Node("src", Values::kHost),
              Number("number"),
              {"timeouts", kU16, "1"},
              Duration("waited_ps"),
              Number("nacks"),
              ByteCount("resent_bytes")}),
      Sorted("flow_sizes", Present::kAlways, {"from_bytes"},
             {ByteCount("from_bytes"),
              ByteCount("to_bytes"),
              {"flows", kI64, "1", Values::kPositive},
              ByteCount("bytes"),
              Real("fct_mean_ps", "ps"),
              Duration("fct_max_ps"),
              Real("slowdown_mean", "1"),
              Real("slowdown_max", "1")}),
      Sorted("slowdown_histogram", Present::kAlways, {"from_bytes", "slowdown_from"},
             {ByteCount("from_bytes"),
              Real("slowdown_from", "1"),
              Real("slowdown_to", "1"),
              {"flows", kI64, "1", Values::kPositive}}),
      Sorted("fct_histogram", Present::kAlways, {"fct_from_ps"},
             {Duration("fct_from_ps"),
              Duration("fct_to_ps"),
              {"flows", kI64, "1", Values::kPositive}}),
  };
}

std::vector<TableSchema> PortTables() {
  return {
      Sorted("drops", Present::kAlways, {"node", "port", "reason"},
             {Node("node"),
              PortOfNode("port", "node"),
              Word("reason", {"buffer full", "wire error", "link down", "no route"}),
              {"packets", kI64, "1", Values::kPositive}}),
      Sorted("ports", Present::kAlways, {"node", "port"},
             {Node("node"), PortOfNode("port", "node"), Count("sent_packets"),
              ByteCount("sent_bytes"), ByteCount("max_queued_bytes"), Count("ecn_marked"),
              Count("pauses"), Duration("paused_ps")}),
      {"pause_causes",
       Present::kAlways,
       {"node", "port"},
       EqualKeys::kNone,
       {"-paused_ps", "node", "port"},
       {Node("node"), PortOfNode("port", "node"), Count("pauses"), Duration("paused_ps"),
        Number("longest_chain")}},
      Sorted("tier_load", Present::kAlways, {"tier", "from_ps"},
             {Moment("from_ps"), Duration("to_ps"), Word("tier", LinkTiers::Names()),
              Number("links"), ByteCount("sent_bytes"), Real("utilisation", "1")}),
  };
}

std::vector<TableSchema> MonitorTables() {
  const std::vector<std::string> by_pair = {"time_ps", "src", "dst", "source_port"};
  const auto pair = [](ColumnSchema last) {
    return std::vector<ColumnSchema>{Moment("time_ps"),
                                     Node("src", Values::kHost),
                                     Node("dst", Values::kHost),
                                     {"source_port", kU16, "1"},
                                     {"destination_port", kU16, "1"},
                                     {"size_bytes", kI64, "byte", Values::kPositive},
                                     std::move(last)};
  };
  return {
      Monitor("monitors/queues", {"time_ps", "node", "port", "priority"},
              {Moment("time_ps"), Node("node"), PortOfNode("port", "node"), Small("priority", 7),
               ByteCount("queued_bytes"), ByteCount("port_bytes")}),
      Monitor("monitors/links", {"time_ps", "node", "port"},
              {Moment("time_ps"), Node("node"), PortOfNode("port", "node"), ByteCount("sent_bytes"),
               Real("throughput_gbps", "Gbit/s")}),
      Monitor("monitors/rates", by_pair, pair({"rate_bps", kI64, "bit/s", Values::kCount})),
      Monitor("monitors/cnps", by_pair, pair(Count("cnps"))),
      Monitor("pfc", {"time_ps", "node", "port", "priority"},
              {Moment("time_ps"), Node("node"), PortOfNode("port", "node"), Small("priority", 7),
               Small("pause", 1), Node("cause_node"), PortOfNode("cause_port", "cause_node"),
               Node("root_node"), PortOfNode("root_port", "root_node"), Small("depth", 255)}),
      Monitor("monitors/cast", {"time_ps", "src", "dst", "connection", "priority", "queue_pair"},
              {Moment("time_ps"),
               Node("src", Values::kGpu),
               Node("dst", Values::kGpu),
               Number("connection"),
               Small("priority", 7),
               {"queue_pair", kU16, "1"},
               Real("weight", "1"),
               Duration("estimate_ps"),
               ByteCount("posted_bytes")}),
  };
}

std::vector<TableSchema> JobTables() {
  const Present jobs = Present::kJobs;
  return {
      Sorted("jobs", jobs, {"job"},
             {JobNumber(), Free("name"), Free("workload"), Number("gpus"), Number("tp"),
              Number("dp"), Number("pp"), Number("ep"), Number("cp"), Number("vpp"), Number("ga"),
              Word("placement", {"packed", "random", "round-robin", "list"}), Moment("start_ps"),
              Number("passes"), Moment("end_ps", Values::kTimeOrNone)}),
      Sorted("ranks", jobs, {"job", "rank"},
             {JobNumber(), Number("rank"), Node("gpu", Values::kGpu),
              Moment("end_ps", Values::kTimeOrNone)}),
      Sorted("operations", jobs, {"job", "operation"},
             {JobNumber(),
              Number("operation"),
              Number("micro_batch"),
              Number("layer"),
              Phase(),
              Operation(),
              GroupType(),
              Number("ranks"),
              ByteCount("bytes"),
              Real("bus_factor", "1"),
              Free("layer_name"),
              {"root", kI64, "1", Values::kCountOrNone},
              {"peer", kI64, "1", Values::kCountOrNone}}),
      Sorted("collectives", jobs, {"job", "operation", "group"},
             {JobNumber(),
              Number("operation"),
              Number("pass"),
              Number("micro_batch"),
              Number("layer"),
              Free("layer_name"),
              Phase(),
              Operation(),
              GroupType(),
              Number("group"),
              Number("ranks"),
              {"root", kI64, "1", Values::kCountOrNone},
              {"peer", kI64, "1", Values::kCountOrNone},
              Word("algorithm", AllNames<Algorithm>()),
              Word("protocol", AllNames<Protocol>()),
              ByteCount("bytes"),
              Moment("start_ps"),
              Moment("end_ps", Values::kTimeOrNone),
              Moment("time_ps", Values::kTimeOrNone),
              Duration("wait_ps"),
              Duration("ideal_ps"),
              Real("algbw", "B/s"),
              Real("busbw", "B/s")}),
      Sorted("layers", jobs, {"job", "rank", "layer"},
             {JobNumber(), Number("rank"), Node("gpu", Values::kGpu), Number("layer"), Free("name"),
              Duration("fwd_compute_ps"), Duration("ig_compute_ps"), Duration("wg_compute_ps"),
              Duration("fwd_exposed_ps"), Duration("ig_exposed_ps"), Duration("wg_exposed_ps"),
              Duration("fwd_total_ps"), Duration("ig_total_ps"), Duration("wg_total_ps"),
              Duration("wg_tail_ps"), Duration("pp_exposed_ps")}),
      Sorted("phase_delays", Present::kMayBe, {"job", "operation", "chunk_phase"},
             {JobNumber(), Number("operation"), Number("chunk_phase"), Number("layer"), Phase(),
              Count("chunks"), Duration("queued_ps"), Count("messages"), Duration("network_ps")}),
      {"steps",
       Present::kTimeline,
       {"job", "gpu", "pass", "layer", "phase", "kind", "operation"},
       EqualKeys::kAnyOrder,
       {"job", "gpu", "start_ps", "end_ps", "kind", "operation"},
       {JobNumber(),
        Node("gpu", Values::kGpu),
        Number("pass"),
        Number("layer"),
        Phase(),
        Word("kind", {"compute", "communicate"}),
        {"operation", kI64, "1", Values::kCountOrNone},
        {"group", kI64, "1", Values::kCountOrNone},
        Moment("start_ps"),
        Moment("end_ps")}},
  };
}

std::vector<TableSchema> OtherTables() {
  const Present controller = Present::kController;
  return {
      {"controller/requests",
       controller,
       {"src", "request"},
       EqualKeys::kAnyOrder,
       {"decided_ps"},
       {Node("src", Values::kGpu),
        Node("dst", Values::kGpu),
        Number("request"),
        Small("cause", 1),
        Small("outcome", 2),
        {"source_port", kU16, "1"},
        Number("candidates"),
        Moment("asked_ps"),
        Moment("decided_ps"),
        Duration("wait_ps"),
        Moment("released_ps", Values::kCountOrNone)}},
      Sorted("controller/paths", controller, {"row", "hop"},
             {{"row", kI64, "1", Values::kRequest},
              {"hop", kU8, "1"},
              Node("node"),
              {"port", kU16, "1", Values::kPort, 0, "node"},
              Node("peer")}),
      {"failures",
       Present::kAlways,
       {},
       EqualKeys::kAnyOrder,
       {"time_ps"},
       {Moment("time_ps", Values::kCount),
        Word("event", {"link_down", "link_up", "link_rate", "node_down", "node_up"}),
        Node("node"),
        {"peer", kI64, "1", Values::kCountOrNone},
        {"cable", kI64, "1", Values::kCountOrNone},
        {"rate_bps", kI64, "bit/s", Values::kCount}}},
      Sorted("topology/shape", Present::kAlways, {},
             {Number("gpus"), Number("nvswitches"), Number("switches"), Number("gpus_per_server"),
              Free("gpu_type")}),
      Sorted("topology/links", Present::kAlways, {},
             {Node("a"),
              Node("b"),
              {"rate_bps", kI64, "bit/s", Values::kPositive},
              Duration("delay_ps"),
              Real("error_rate", "1")}),
      Sorted("topology/forwarding", Present::kMayBe, {"node", "first_gpu"},
             {Node("node"), Node("first_gpu", Values::kGpu), Node("last_gpu", Values::kGpu),
              PortOfNode("port", "node")}),
      Sorted("topology/nodes", Present::kMayBe, {}, {Free("name")}),
      Sorted("topology/dimensions", Present::kMayBe, {"dimension"},
             {Number("dimension"), Word("kind", {"ring", "mesh", "switch"}), Number("size"),
              Number("clockwise"), Number("anticlockwise"), Small("one_queue", 1)}),
      Sorted("schedule/ranks", Present::kMayBe, {"job", "rank"},
             {Number("job"), Number("rank"), Node("gpu", Values::kGpu), Count("operations"),
              Moment("end_ps", Values::kTimeOrNone)}),
      Sorted(
          "serving/requests", Present::kMayBe, {"request"},
          {Number("request"), Word("state", {"open", "finished", "rejected"}),
           Number("input_tokens"), Number("output_tokens"), Number("entry"), Number("decoder"),
           Moment("arrival_ps", Values::kCount), Moment("begun_ps", Values::kTimeOrNone),
           Moment("computed_ps", Values::kTimeOrNone), Moment("granted_ps", Values::kTimeOrNone),
           Moment("sending_ps", Values::kTimeOrNone), Moment("kv_arrived_ps", Values::kTimeOrNone),
           Moment("first_token_ps", Values::kTimeOrNone),
           Moment("last_token_ps", Values::kTimeOrNone), Number("preempted"),
           Number("cached_tokens"), Number("unsent_tokens"),
           Word("slo", {"kept", "missed", "none"})}),
      Sorted("serving/instances", Present::kMayBe, {"instance"},
             {Number("instance"), Free("pool"), Word("role", {"mixed", "prefill", "decode"}),
              Node("first_gpu", Values::kGpu), Number("gpus"), Count("blocks"),
              Count("most_blocks"), Count("steps"), Duration("busy_ps"), Count("computed_tokens"),
              Count("generated_tokens"), Count("preempted"), Count("cached_tokens")}),
      Sorted("serving/gpus", Present::kMayBe, {"instance", "rank"},
             {Number("instance"), Number("rank"), Node("gpu", Values::kGpu)}),
      Sorted("run/ranks", Present::kAlways, {"rank"},
             {Number("rank"), Free("host"), Number("domains"), Count("events"),
              Count("packet_hops"), Count("windows"), Count("messages"),
              Real("blocked_seconds", "s"), Real("wall_seconds", "s"), Real("memory_mib", "MiB")}),
      {"run/progress",
       Present::kAlways,
       {},
       EqualKeys::kAnyOrder,
       {"wall_seconds"},
       {Real("wall_seconds", "s"), Moment("time_ps", Values::kCount), Count("flows_finished"),
        Count("packet_hops"), Count("events"), Real("blocked_share", "1"),
        Real("memory_mib", "MiB")}},
  };
}

std::vector<TableSchema> MakeTables() {
  std::vector<TableSchema> all;
  for (auto make : {FlowTables, PortTables, MonitorTables, JobTables, OtherTables}) {
    for (TableSchema& table : make()) all.push_back(std::move(table));
  }
  return all;
}

}  // namespace

int ResultFormatMinor() { return 14; }

const std::vector<TableSchema>& ResultTables() {
  static const std::vector<TableSchema> tables = MakeTables();
  return tables;
}

const TableSchema* FindTableSchema(const std::string& name) {
  for (const TableSchema& table : ResultTables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

const std::vector<AttributeSchema>& RootAttributes() {
  constexpr AttributeType kText = AttributeType::kText, kInteger = AttributeType::kI64;
  static const std::vector<AttributeSchema> attributes = {
      {"filetype", kText},
      {"format_version", AttributeType::kTwoI32},
      {"complete", kInteger},
      {"until_ps", kInteger, Present::kIncomplete},
      {"heddle_version", kText},
      {"command_line", kText},
      {"topology_digest", kText},
      {"backend", kText, Present::kMayBe},
      {"routing", kText, Present::kMayBe},
      {"sprayed_by", kText, Present::kMayBe},
      {"tables_digest", kText, Present::kMayBe},
      {"flows_input_digest", kText, Present::kMayBe},
      {"workload_digest", kText, Present::kMayBe},
      {"job N workload_digest", kText, Present::kMayBe},
      {"groups_digest", kText, Present::kMayBe},
      {"requests_digest", kText, Present::kMayBe},
      {"conf_digest", kText, Present::kMayBe},
      {"calibration_digest", kText, Present::kMayBe},
      {"failures_digest", kText, Present::kMayBe},
      {"allreduce_digest", kText, Present::kMayBe},
      {"allgather_digest", kText, Present::kMayBe},
      {"reducescatter_digest", kText, Present::kMayBe},
      {"alltoall_digest", kText, Present::kMayBe},
      {"experts_digest", kText, Present::kMayBe},
      {"pipeline_digest", kText, Present::kMayBe},
      {"option KEY", kText},
      {"seed", kInteger},
      {"flows_digest", kText},
      {"packet_hops", kInteger},
      {"simulated_ps", kInteger},
      {"flows_planned", kInteger},
      {"flows_finished", kInteger},
      {"flows_recorded", kText},
      {"collectives_recorded", kText, Present::kJobs},
      {"deadlock", kText, Present::kMayBe},
      {"nic_ports_idle", AttributeType::kF64, Present::kMayBe},
  };
  return attributes;
}

const std::vector<AttributeSchema>& RunAttributes() {
  constexpr AttributeType kText = AttributeType::kText, kReal = AttributeType::kF64;
  static const std::vector<AttributeSchema> attributes = {
      {"ranks", AttributeType::kI64},
      {"engine", kText},
      {"partition", kText},
      {"grain", kText},
      {"lookahead_ps", AttributeType::kI64},
      {"setup_seconds", kReal},
      {"run_seconds", kReal},
      {"write_seconds", kReal},
      {"restarts", AttributeType::kI64, Present::kMayBe},
      {"checkpoint_seconds", kReal, Present::kMayBe},
      {"started", kText},
      {"mpi", kText},
      {"hdf5", kText},
      {"ns3", kText},
      {"compiler", kText},
      {"clock_error_ns", kReal, Present::kMayBe},
      {"clock_offset_ns", kReal, Present::kMayBe},
      {"clock_drift_ns", kReal, Present::kMayBe},
      {"mpi_transport", kText, Present::kMayBe},
      {"identity", kText, Present::kMayBe},
      {"estimated_packet_hops", AttributeType::kI64, Present::kMayBe},
      {"estimated_events", AttributeType::kI64, Present::kMayBe},
      {"estimated_memory_mib", kReal, Present::kMayBe},
      {"estimated_result_bytes", AttributeType::kI64, Present::kMayBe},
      {"estimated_run_seconds", kReal, Present::kMayBe},
  };
  return attributes;
}

}  // namespace heddle
