// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/calibrate/measured_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/program/groups.h"
#include "collectives/schedule/parse_operation.h"
#include "core/app/base/routing/fabric_input.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/run/setup/hardware_setup.h"
#include "core/app/run/setup/like.h"
#include "core/app/run/traffic/make_prices.h"
#include "core/app/views/results/result_options.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/analysis/measured_times.h"
#include "io/input/file_kind.h"
#include "io/input/nccl_tests_text.h"
#include "io/input/text_file.h"
#include "io/result/attribute_map.h"
#include "io/result/result_graph.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

class Gathered {
 public:
  void Add(const PriceParts& parts, std::int64_t bytes, double seconds) {
    const CalibratedKind& kind = parts.kind;
    const Key key{kind.operation, kind.algorithm, kind.protocol, kind.ranks, kind.servers, bytes};
    Sum& sum = sums_[key];
    sum.kind = kind;
    sum.closed_form += parts.closed_form;
    sum.seconds += seconds;
    sum.number += 1;
  }

  std::vector<MeasuredKind> Take() const {
    std::vector<MeasuredKind> kinds;
    const auto kind_of = [](const Key& key) {
      return std::make_tuple(std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key),
                             std::get<4>(key));
    };
    const Key* last = nullptr;
    for (const auto& [key, sum] : sums_) {
      if (last == nullptr || kind_of(*last) != kind_of(key)) kinds.push_back({sum.kind, {}});
      kinds.back().points.push_back(
          {std::get<5>(key), sum.seconds / sum.number, sum.closed_form / sum.number, sum.number});
      last = &key;
    }
    return kinds;
  }

 private:
  /// A kind, and the size.
  using Key =
      std::tuple<Operation, Algorithm, Protocol, std::uint32_t, std::uint32_t, std::int64_t>;
  struct Sum {
    CalibratedKind kind;
    double closed_form = 0, seconds = 0, number = 0;
  };
  std::map<Key, Sum> sums_;
};

Operation OperationOf(const std::string& text) {
  for (int i = 1; i <= static_cast<int>(Operation::kSendRecv); ++i) {
    if (text == ToText(static_cast<Operation>(i))) return static_cast<Operation>(i);
  }
  return Operation::kNone;
}

GroupType GroupTypeOf(const std::string& text) {
  for (int i = 0; i < kGroupTypes; ++i) {
    if (text == ToText(static_cast<GroupType>(i))) return static_cast<GroupType>(i);
  }
  return GroupType::kData;
}

/// The jobs of a result: their groups, and the GPU of each rank.
class ResultJobs {
 public:
  explicit ResultJobs(const ResultReader& result, const Graph& graph, const std::string& path) {
    const Table jobs = result.ReadTable("jobs");
    const auto& gpus = GetColumn<std::uint32_t>(jobs, "gpus");
    const auto& tensor = GetColumn<std::uint32_t>(jobs, "tp");
    const auto& expert = GetColumn<std::uint32_t>(jobs, "ep");
    const auto& pipeline = GetColumn<std::uint32_t>(jobs, "pp");
    // Results before format 3.14 have none.
    const bool has_context = std::any_of(jobs.columns.begin(), jobs.columns.end(),
                                         [](const Column& c) { return c.name == "cp"; });
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const ParallelSizes sizes{tensor[i], expert[i], pipeline[i],
                                has_context ? GetColumn<std::uint32_t>(jobs, "cp")[i] : 1};
      jobs_.push_back({ParallelGroups(sizes, gpus[i], path), std::vector<NodeId>(gpus[i]), {}});
    }
    const Table ranks = result.ReadTable("ranks");
    const auto& job = GetColumn<std::uint32_t>(ranks, "job");
    const auto& rank = GetColumn<std::uint32_t>(ranks, "rank");
    const auto& gpu = GetColumn<std::uint32_t>(ranks, "gpu");
    for (std::size_t i = 0; i < job.size(); ++i) {
      if (job[i] >= jobs_.size() || rank[i] >= jobs_[job[i]].gpu_of.size() ||
          gpu[i] >= graph.gpu_count())
        throw UserError(path + ": /ranks has a rank or GPU that is in no job or fabric");
      jobs_[job[i]].gpu_of[rank[i]] = NodeId(gpu[i]);
    }
  }

  /// The GPUs of a group; empty if there is none of this number and size.
  const std::vector<NodeId>& MembersOf(std::uint32_t job, GroupType type, std::uint32_t group,
                                       std::uint32_t ranks) {
    static const std::vector<NodeId> none;
    if (job >= jobs_.size()) return none;
    Job& of = jobs_[job];
    if (of.groups.size(type) != ranks || group >= of.groups.count(type)) return none;
    std::vector<NodeId>& members = of.members[{type, group}];
    if (members.empty()) {
      for (const std::uint32_t rank : of.groups.Members(type, group))
        members.push_back(of.gpu_of[rank]);
    }
    return members;
  }

 private:
  struct Job {
    ParallelGroups groups;
    std::vector<NodeId> gpu_of;  ///< by rank
    std::map<std::pair<GroupType, std::uint32_t>, std::vector<NodeId>> members;
  };
  std::vector<Job> jobs_;
};

/// One block of /collectives.
struct CollectiveBlock {
  explicit CollectiveBlock(const Table& block)
      : job(GetColumn<std::uint32_t>(block, "job")),
        pass(GetColumn<std::uint32_t>(block, "pass")),
        group(GetColumn<std::uint32_t>(block, "group")),
        ranks(GetColumn<std::uint32_t>(block, "ranks")),
        root(GetColumn<std::int64_t>(block, "root")),
        peer(GetColumn<std::int64_t>(block, "peer")),
        bytes(GetColumn<std::int64_t>(block, "bytes")),
        time_ps(GetColumn<std::int64_t>(block, "time_ps")),
        op(GetColumn<std::string>(block, "op")),
        type(GetColumn<std::string>(block, "group_type")),
        algorithm(GetColumn<std::string>(block, "algorithm")) {}
  static std::vector<std::string> columns() {
    return {"job",   "pass",    "group", "ranks",      "root",     "peer",
            "bytes", "time_ps", "op",    "group_type", "algorithm"};
  }
  /// The call of row `i`, without members and name.
  CollectiveCall CallOf(std::size_t i) const {
    CollectiveCall call;
    call.operation = OperationOf(op[i]);
    call.group_type = GroupTypeOf(type[i]);
    call.bytes = bytes[i];
    call.ranks = ranks[i];
    call.root = root[i] < 0 ? 0 : static_cast<std::uint32_t>(root[i]);
    if (peer[i] >= 0) call.peer = static_cast<std::uint32_t>(peer[i]);
    call.name.job = static_cast<std::uint16_t>(job[i]);
    call.name.group = group[i];
    return call;
  }

  const std::vector<std::uint32_t>&job, &pass, &group, &ranks;
  const std::vector<std::int64_t>&root, &peer, &bytes, &time_ps;
  const std::vector<std::string>&op, &type, &algorithm;
};

/// Passes before `first_pass` warm up.
void AddBlock(const CollectiveBlock& block, std::uint32_t first_pass, const std::string& path,
              ResultJobs* jobs, ClosedPrices* prices, Gathered* gathered) {
  for (std::size_t i = 0; i < block.job.size(); ++i) {
    if (block.time_ps[i] <= 0 || block.pass[i] < first_pass) continue;
    CollectiveCall call = block.CallOf(i);
    const std::vector<NodeId>& members =
        jobs->MembersOf(block.job[i], call.group_type, call.name.group, call.ranks);
    if (members.empty() || call.operation == Operation::kNone || call.bytes <= 0 ||
        call.root >= call.ranks || (call.point_to_point() && call.peer >= call.ranks))
      throw UserError(fmt::format("{}: /collectives: row {} is of no group of its job", path, i));
    call.members = members.data();
    const PriceParts& parts = prices->PartsOf(call);
    if (parts.ports <= 0) continue;
    if (block.algorithm[i] != ToText(parts.kind.algorithm))
      throw UserError(fmt::format(
          "{}: has {} by {}, where this program chooses {}. Expected: a result of this version",
          path, block.op[i], Printable(block.algorithm[i]), ToText(parts.kind.algorithm)));
    gathered->Add(parts, call.bytes, static_cast<double>(block.time_ps[i]) * 1e-12);
  }
}

/// A section's operation and ranks, by the text or by flags.
CollectiveCall CallOfSection(const NcclTestsSection& section, const std::string& file,
                             const CalibrateArguments& given) {
  CollectiveCall call;
  call.group_type = GroupType::kData;
  call.operation =
      given.operation.empty() ? section.operation : ParseOperation("--operation", given.operation);
  if (call.operation == Operation::kNone)
    throw UserError(Printable(file) +
                    ": does not say which test it is of. Expected: --operation, as allreduce");
  call.ranks = given.ranks > 0 ? given.ranks : section.ranks;
  if (call.ranks == 0)
    throw UserError(Printable(file) +
                    ": does not say how many ranks there were. Expected: --ranks NUMBER");
  if (call.ranks < 2) throw UserError(Printable(file) + ": one rank. Expected: two or more");
  return call;
}

void AddResult(const std::string& path, Gathered* gathered) {
  const ResultReader result(path);
  const AttributeMap root(result.ReadAttributes());
  if (root.Text("backend").value_or("") == "analytical")
    throw UserError(Printable(path) +
                    ": was made by closed forms (backend analytical). Expected: a result of a run "
                    "with packets, or measured");
  if (!result.HasTable("collectives") || result.CountRows("collectives") == 0)
    throw UserError(Printable(path) +
                    ": has no collectives. Expected: a result of a workload (heddle run -w)");
  AllOptions options;
  TakeOptions(root, &options);
  const Graph graph = ReadGraph(result);
  FitToHardware(HardwareOf(graph, false), &options.options, &options.collectives);
  CheckClosedForms(Printable(path), graph, options.collectives);
  ClosedPrices prices(graph, options.collectives, WireFiguresOf(options.transport), nullptr);
  ResultJobs jobs(result, graph, Printable(path));
  const std::uint32_t warmup = WarmupPasses(root);
  ForEachBlock(result, "collectives", CollectiveBlock::columns(), [&](const Table& block) {
    AddBlock(CollectiveBlock(block), warmup, Printable(path), &jobs, &prices, gathered);
  });
}

/// What nccl-tests ran on: a fabric, and options that hold there.
struct TestedFabric {
  explicit TestedFabric(const CalibrateArguments& given)
      : name(Printable(given.topology)), fabric(ReadFabric(given.topology, {})) {
    options.options.SetAll(given.settings);
    ApplyLike({options.like,
               "",
               {},
               given.settings,
               fabric.graph->nvswitch_count() > 0,
               false,
               MostNicPorts(*fabric.graph),
               HasNvSwitchPlanes(*fabric.graph)},
              &options.options);
    if (options.transport.nvlink.spray) JoinPlanesOf(&fabric.graph);
    FitToHardware(HardwareOf(*fabric.graph, fabric.infiniband), &options.options,
                  &options.collectives);
    CheckClosedForms("heddle calibrate", *fabric.graph, options.collectives);
  }

  std::string name;
  FabricInput fabric;
  AllOptions options;
};

/// Its sections, with the file's name if it is not what it should be.
std::vector<NcclTestsSection> SectionsOf(const std::string& file) {
  return ReadAs(FileKind::kNcclTests, file,
                [&file] { return ParseNcclTests(ReadTextFile(file), Printable(file)); });
}

/// `call`: of the section, without members.
void AddSection(const NcclTestsSection& section, const CalibrateArguments& given,
                CollectiveCall call, ClosedPrices* prices, Gathered* gathered) {
  std::vector<NodeId> members;
  for (std::uint32_t gpu = 0; gpu < call.ranks; ++gpu) members.emplace_back(gpu);
  call.members = members.data();
  for (const NcclTestsRow& row : section.rows) {
    call.bytes = row.bytes;
    const PriceParts& parts = prices->PartsOf(call);
    if (parts.ports <= 0) continue;
    if (given.takes_out_of_place()) gathered->Add(parts, row.bytes, row.out_of_place);
    if (given.takes_in_place() && row.in_place) gathered->Add(parts, row.bytes, *row.in_place);
  }
}

}  // namespace

std::vector<MeasuredKind> MeasuredInResults(const std::vector<std::string>& paths) {
  Gathered gathered;
  for (const std::string& path : paths) AddResult(path, &gathered);
  return gathered.Take();
}

std::vector<MeasuredKind> MeasuredByNcclTests(const CalibrateArguments& given) {
  std::vector<std::vector<NcclTestsSection>> texts;
  for (const std::string& file : given.measured) texts.push_back(SectionsOf(file));
  if (given.topology.empty())
    throw UsageError(
        "-n: a text of nccl-tests does not say what it was measured on. Expected: -n FABRIC");
  const TestedFabric on(given);
  const Graph& graph = *on.fabric.graph;
  ClosedPrices prices(graph, on.options.collectives, WireFiguresOf(on.options.transport), nullptr);
  Gathered gathered;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& file = given.measured[i];
    for (const NcclTestsSection& section : texts[i]) {
      CollectiveCall call = CallOfSection(section, file, given);
      if (call.ranks > graph.gpu_count())
        throw UserError(
            fmt::format("{}: {} ranks, and {} has {} GPUs. Expected: a fabric with as "
                        "many GPUs at least",
                        Printable(file), call.ranks, on.name, graph.gpu_count()));
      const bool none_in_place =
          !given.takes_out_of_place() &&
          std::none_of(section.rows.begin(), section.rows.end(),
                       [](const NcclTestsRow& row) { return row.in_place.has_value(); });
      if (none_in_place)
        throw UserError(Printable(file) +
                        ": has no times in place. Expected: --times out-of-place");
      call.name.group = number++;
      AddSection(section, given, call, &prices, &gathered);
    }
  }
  return gathered.Take();
}

}  // namespace heddle
