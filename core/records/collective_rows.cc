// SPDX-License-Identifier: GPL-2.0-only
#include "core/records/collective_rows.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/make_column.h"

namespace heddle {
namespace {

using U32 = std::uint32_t;
using U8 = std::uint8_t;
using I64 = std::int64_t;

/// The row of /operations and the times of one row of /collectives.
struct Row {
  const CollectivePart* part;
  std::size_t op;  ///< row of /operations
  U32 pass;
  I64 end_ps;    ///< -1: not all ranks finished
  I64 time_ps;   ///< of the bandwidths; -1 likewise
  I64 wait_ps;   ///< before it: for the collective before, or of a receiver for its sender
  double algbw;  ///< byte/s
};

/// The columns of /operations.
struct Operations {
  explicit Operations(const Table& table)
      : micro_batch(GetColumn<U32>(table, "micro_batch")),
        layer(GetColumn<U32>(table, "layer")),
        ranks(GetColumn<U32>(table, "ranks")),
        layer_name(GetColumn<std::string>(table, "layer_name")),
        phase(GetColumn<std::string>(table, "phase")),
        op(GetColumn<std::string>(table, "op")),
        group_type(GetColumn<std::string>(table, "group_type")),
        root(GetColumn<I64>(table, "root")),
        peer(GetColumn<I64>(table, "peer")),
        bytes(GetColumn<I64>(table, "bytes")),
        bus_factor(GetColumn<double>(table, "bus_factor")) {}

  const std::vector<U32>&micro_batch, &layer, &ranks;
  const std::vector<std::string>&layer_name, &phase, &op, &group_type;
  const std::vector<I64>&root, &peer, &bytes;
  const std::vector<double>& bus_factor;
};

/// A collective takes from when its first rank begins it; before, it may have waited for the one
/// before on its communicator. A message between two ranks takes from when it is sent until it has
/// arrived, however early its receiver waited for it or late it asked. `start` is the earlier of
/// what sender and receiver issued, so the receiver waited from there.
Row MakeRow(const CollectivePart& part, std::size_t op, U32 pass, const Operations& operations) {
  const bool whole = part.finished == operations.ranks[op];
  const bool between_two = operations.peer[op] >= 0;
  const Time begin = part.sent == Time::Max() ? part.start : part.sent;
  const Time end = between_two ? part.arrived : part.end;
  const Time taken = whole ? end - begin : Time{};
  const double algbw =
      taken.ps > 0 ? static_cast<double>(operations.bytes[op]) / taken.seconds() : 0;
  return {&part,
          op,
          pass,
          whole ? part.end.ps : -1,
          whole ? taken.ps : -1,
          whole ? (begin - part.start).ps : 0,
          algbw};
}

template <class Enum>
Enum Named(U8 value) {
  if (value < CountNamed<Enum>()) return static_cast<Enum>(value);
  throw UserError("table " + std::string(kCollectivePartTable) + ": " + std::to_string(value) +
                  " is no algorithm or protocol. Expected: those of this version of heddle");
}

auto KeyOf(const CollectivePart& part) { return std::tie(part.job, part.operation, part.group); }

}  // namespace

Table CollectivePartTable(const std::vector<CollectivePart>& parts) {
  using Part = CollectivePart;
  RecordTable<Part> table(kCollectivePartTable, "what one process saw of collectives", parts);
  table.Add<U32>("job", "1", "job", [](const Part& p) { return p.job; });
  table.Add<U32>("operation", "1", "number within the job",
                 [](const Part& p) { return p.operation; });
  table.Add<U32>("group", "1", "group of its type", [](const Part& p) { return p.group; });
  table.Add<U32>("finished", "1", "ranks that finished it",
                 [](const Part& p) { return p.finished; });
  table.Add<I64>("start_ps", "ps", "earliest issue", [](const Part& p) { return p.start.ps; });
  table.Add<I64>("end_ps", "ps", "latest finish", [](const Part& p) { return p.end.ps; });
  table.Add<I64>("sent_ps", "ps",
                 "when the first rank began it; between two ranks: when the sender issued it",
                 [](const Part& p) { return p.sent.ps; });
  table.Add<I64>("arrived_ps", "ps", "between two ranks: when it had arrived",
                 [](const Part& p) { return p.arrived.ps; });
  table.Add<I64>("ideal_ps", "ps", "the least time that its busiest port needs",
                 [](const Part& p) { return p.ideal.ps; });
  table.Add<U8>("algorithm", "1", "algorithm", [](const Part& p) { return p.algorithm; });
  table.Add<U8>("protocol", "1", "NCCL's protocol", [](const Part& p) { return p.protocol; });
  return table.Take();
}

std::vector<CollectivePart> CollectivePartsOf(const Table& table) {
  const auto& job = GetColumn<U32>(table, "job");
  const auto& operation = GetColumn<U32>(table, "operation");
  const auto& group = GetColumn<U32>(table, "group");
  const auto& finished = GetColumn<U32>(table, "finished");
  const auto& start = GetColumn<I64>(table, "start_ps");
  const auto& end = GetColumn<I64>(table, "end_ps");
  const auto& sent = GetColumn<I64>(table, "sent_ps");
  const auto& arrived = GetColumn<I64>(table, "arrived_ps");
  const auto& ideal = GetColumn<I64>(table, "ideal_ps");
  const auto& algorithm = GetColumn<U8>(table, "algorithm");
  const auto& protocol = GetColumn<U8>(table, "protocol");
  std::vector<CollectivePart> parts;
  parts.reserve(job.size());
  for (std::size_t i = 0; i < job.size(); ++i) {
    parts.push_back({job[i], operation[i], group[i], finished[i], Time{start[i]}, Time{end[i]},
                     Time{sent[i]}, Time{arrived[i]}, Time{ideal[i]},
                     Named<Algorithm>(algorithm[i]), Named<Protocol>(protocol[i])});
  }
  return parts;
}

void JoinParts(const std::vector<CollectivePart>& parts, std::vector<CollectivePart>* joined) {
  for (const CollectivePart& part : parts) {
    if (joined->empty() || KeyOf(joined->back()) != KeyOf(part)) {
      joined->push_back(part);
      continue;
    }
    CollectivePart& whole = joined->back();
    whole.finished += part.finished;
    whole.start = std::min(whole.start, part.start);
    whole.end = std::max(whole.end, part.end);
    whole.sent = std::min(whole.sent, part.sent);
    whole.arrived = std::max(whole.arrived, part.arrived);
  }
}

CollectiveRows::CollectiveRows(Table operations) : operations_(std::move(operations)) {
  const Operations columns(operations_);  // throws if one is missing
  const auto& job = GetColumn<U32>(operations_, "job");
  for (std::size_t row = 0; row < job.size(); ++row) {
    if (job[row] >= of_job_.size()) of_job_.resize(std::size_t{job[row]} + 1);
    OperationsOfJob& found = of_job_[job[row]];
    if (found.count++ == 0) found.first = row;
  }
}

std::size_t CollectiveRows::RowOf(const CollectivePart& part) const {
  if (part.job >= of_job_.size() || of_job_[part.job].count == 0) {
    throw UserError("a collective of job " + std::to_string(part.job) +
                    ", of which table operations has no row. Expected: totals and row logs of one "
                    "run");
  }
  const OperationsOfJob& of = of_job_[part.job];
  return of.first + part.operation % of.count;
}

std::size_t CollectiveRows::longest_layer_name() const {
  std::size_t longest = 0;
  for (const std::string& name : GetColumn<std::string>(operations_, "layer_name"))
    longest = std::max(longest, name.size());
  return longest;
}

Table CollectiveRows::Make(const std::vector<CollectivePart>& joined) const {
  const Operations ops(operations_);
  std::vector<Row> rows;
  rows.reserve(joined.size());
  for (const CollectivePart& part : joined) {
    const std::size_t op = RowOf(part);
    const auto pass = static_cast<U32>(part.operation / of_job_[part.job].count);
    rows.push_back(MakeRow(part, op, pass, ops));
  }
  RecordTable<Row> table("collectives", "one row a collective of a group", std::move(rows));
  table.Add<U32>("job", "1", "job", [](const Row& r) { return r.part->job; });
  table.Add<U32>("operation", "1", "number within the job",
                 [](const Row& r) { return r.part->operation; });
  table.Add<U32>("pass", "1", "pass of the workload", [](const Row& r) { return r.pass; });
  table.Add<U32>("micro_batch", "1", "micro-batch of the pass",
                 [&](const Row& r) { return ops.micro_batch[r.op]; });
  table.Add<U32>("layer", "1", "index of the layer", [&](const Row& r) { return ops.layer[r.op]; });
  const auto text = [&](const char* name, const char* description,
                        const std::vector<std::string>& values) {
    table.Add<std::string>(name, "1", description, [&](const Row& r) { return values[r.op]; });
  };
  text("layer_name", "name of the layer", ops.layer_name);
  text("phase", "fwd, ig or wg", ops.phase);
  text("op", "what is done", ops.op);
  text("group_type", "TP, DP, PP, EP, DP_EP, ALL, CP or LISTED", ops.group_type);
  table.Add<U32>("group", "1", "number of the group among those of its type",
                 [](const Row& r) { return r.part->group; });
  table.Add<U32>("ranks", "1", "ranks that take part",
                 [&](const Row& r) { return ops.ranks[r.op]; });
  table.Add<I64>("root", "1", "rank of the group that is the root, or sends; -1: none",
                 [&](const Row& r) { return ops.root[r.op]; });
  table.Add<I64>("peer", "1", "rank of the group that receives from the root alone; -1: none",
                 [&](const Row& r) { return ops.peer[r.op]; });
  table.Add<std::string>("algorithm", "1", "NCCL's algorithm, or PHASES",
                         [](const Row& r) { return ToText(r.part->algorithm); });
  table.Add<std::string>("protocol", "1", "NCCL's protocol",
                         [](const Row& r) { return ToText(r.part->protocol); });
  table.Add<I64>("bytes", "byte", "the full buffer, by NCCL's conventions",
                 [&](const Row& r) { return ops.bytes[r.op]; });
  table.Add<I64>("start_ps", "ps", "when the first rank issued it",
                 [](const Row& r) { return r.part->start.ps; });
  table.Add<I64>("end_ps", "ps", "when the last rank finished it; -1: not all did",
                 [](const Row& r) { return r.end_ps; });
  table.Add<I64>("time_ps", "ps",
                 "from when the first rank began it to the end; between two ranks: from when the "
                 "sender issued it until it had arrived; -1: not finished",
                 [](const Row& r) { return r.time_ps; });
  table.Add<I64>("wait_ps", "ps",
                 "before time_ps: how long it waited for the collective before on its "
                 "communicator; between two ranks: how long the receiver waited for the sender",
                 [](const Row& r) { return r.wait_ps; });
  table.Add<I64>("ideal_ps", "ps",
                 "what its busiest port needs for its bytes: the least time; 0: not known",
                 [](const Row& r) { return r.part->ideal.ps; });
  table.Add<double>("algbw", "B/s", "bytes over time_ps; 0: not finished",
                    [](const Row& r) { return r.algbw; });
  table.Add<double>("busbw", "B/s", "algbw times nccl-tests' factor",
                    [&](const Row& r) { return r.algbw * ops.bus_factor[r.op]; });
  return table.Take();
}

}  // namespace heddle
