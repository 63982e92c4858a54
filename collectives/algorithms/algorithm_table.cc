// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/algorithm_table.h"

#include <algorithm>
#include <initializer_list>

#include "collectives/algorithms/all_to_all_schedule.h"
#include "collectives/algorithms/chain_schedule.h"
#include "collectives/algorithms/nvls_schedule.h"
#include "collectives/algorithms/nvls_tree_schedule.h"
#include "collectives/algorithms/pat_schedule.h"
#include "collectives/algorithms/pxn_all_to_all_schedule.h"
#include "collectives/algorithms/ring_schedule.h"
#include "collectives/algorithms/send_recv_schedule.h"
#include "collectives/algorithms/tree_schedule.h"
#include "collectives/custom/custom_schedule.h"
#include "collectives/experts/all_to_all_v_schedule.h"
#include "collectives/experts/two_hop_schedule.h"
#include "collectives/in_network/collnet_parts_schedule.h"
#include "collectives/in_network/collnet_schedule.h"
#include "collectives/in_network/multimem_schedule.h"
#include "collectives/in_network/multimem_tree_schedule.h"
#include "core/base/check.h"

namespace heddle {
namespace {

using SchedulePtr = std::unique_ptr<Schedule>;

constexpr std::uint32_t SetOf(std::initializer_list<Operation> operations) {
  std::uint32_t set = 0;
  for (const Operation operation : operations) set |= 1U << static_cast<unsigned>(operation);
  return set;
}
constexpr std::uint32_t kReductions =
    SetOf({Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter});

constexpr NcclLatencies kRingLatencies = {
    {6600, 14000, 8400}, {600, 1900, 3400}, {1000, 1000, 0}, {2700, 5500, 0}};

double LogTwo(std::uint32_t n) {
  int log = 0;
  while ((1U << log) < n) ++log;
  return log;
}

/// Steps of a ring: every rank forwards what it received from the previous one.
MessageSteps StepsOfRing(const CollectiveSpec& spec, const GroupShape& shape) {
  const double rounds = spec.operation == Operation::kAllReduce ? 2 : 1;
  const double all = rounds * (shape.ranks() - 1.0);
  const double between = shape.servers() > 1 ? std::min<double>(all, rounds * shape.servers()) : 0;
  return {all - between, between};
}

MessageSteps StepsOfTree(const CollectiveSpec& /*spec*/, const GroupShape& shape) {
  const double ranks = shape.ranks(), servers = shape.servers();
  return {2 * (ranks / servers - 1), 2 * LogTwo(shape.servers())};
}

/// To the NVSwitch and back; between, a tree of servers.
MessageSteps StepsOfNvls(const CollectiveSpec& /*spec*/, const GroupShape& shape) {
  return {2, 2 * LogTwo(shape.servers())};
}

/// Steps that wait for software: a request for a sum, and its store.
MessageSteps StepsOfMultimem(const CollectiveSpec& spec, const GroupShape& /*shape*/) {
  return {spec.operation == Operation::kAllReduce ? 2.0 : 1.0, 0};
}

/// Rings send in steps; chains, which a ring's row serves too, in pieces.
MessageOrder OrderOfRing(const CollectiveSpec& spec) {
  const bool chain =
      spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce;
  return chain ? MessageOrder::kPieces : MessageOrder::kSteps;
}
MessageOrder InPieces(const CollectiveSpec& /*spec*/) { return MessageOrder::kPieces; }
MessageOrder AtOnce(const CollectiveSpec& /*spec*/) { return MessageOrder::kAtOnce; }
MessageOrder InOrder(const CollectiveSpec& /*spec*/) { return MessageOrder::kInOrder; }
MessageOrder ByTable(const CollectiveSpec& /*spec*/) { return MessageOrder::kByTable; }

std::string NoNvls(const GroupShape& shape, const ChunkOptions& /*options*/) {
  return WhyNoNvls(shape);
}

/// Rounds of PAT with NCCL's sizes, as if all crossed servers where there are several.
MessageSteps StepsOfPat(const CollectiveSpec& spec, const GroupShape& shape) {
  if (shape.ranks() < 2) return {};
  const PatPlan plan = PatPlanOf(spec, shape.ranks(), ChunkOptions());
  const bool reduces = spec.operation == Operation::kReduceScatter;
  const double rounds = PatRounds(shape.ranks(), plan.factors, reduces).rounds();
  return shape.servers() > 1 ? MessageSteps{0, rounds} : MessageSteps{rounds, 0};
}

std::uint32_t OnePiece(const ChunkOptions& /*options*/) { return 1; }
std::uint32_t SeveralPieces(const ChunkOptions& options) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(options.chunks_in_flight, 1));
}

std::uint32_t MultimemPieces(const ChunkOptions& options) {
  return static_cast<std::uint32_t>(options.multimem_channels);
}

std::uint32_t MultimemTreePieces(const ChunkOptions& options) {
  return static_cast<std::uint32_t>(options.multimem_channels * options.multimem_slots);
}

std::uint32_t CollNetPieces(const ChunkOptions& options) {
  return static_cast<std::uint32_t>(options.collnet_channels);
}

MessageSteps StepsOfDirect(const CollectiveSpec& spec, const GroupShape& shape) {
  if (spec.sizes != nullptr && spec.sizes->tokens != nullptr && shape.servers() > 1) return {1, 1};
  return shape.servers() > 1 ? MessageSteps{0, 1} : MessageSteps{1, 0};
}

/// A row with the values that most algorithms share.
constexpr AlgorithmRow Row(Algorithm algorithm) {
  AlgorithmRow row;
  row.algorithm = row.in_one_server = row.over_servers = algorithm;
  row.obstacle = [](const GroupShape&, const ChunkOptions&) { return std::string(); };
  row.steps = StepsOfRing;
  row.order = InPieces;
  row.pieces_in_flight = OnePiece;
  return row;
}

constexpr AlgorithmRow Ring() {
  AlgorithmRow row = Row(Algorithm::kRing);
  row.word = "ring";
  row.nccl = "ring";
  row.operations = kReductions | SetOf({Operation::kBroadcast, Operation::kReduce});
  row.crosses_by_pxn = true;
  row.counts_reductions = true;
  row.latencies = kRingLatencies;
  row.order = OrderOfRing;
  row.pieces_in_flight = SeveralPieces;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    if (spec.operation == Operation::kBroadcast || spec.operation == Operation::kReduce)
      return std::make_unique<ChainSchedule>(spec, shape, options, choice.pxn);
    return std::make_unique<RingSchedule>(spec, shape, choice.pxn);
  };
  return row;
}

constexpr AlgorithmRow Tree() {
  AlgorithmRow row = Row(Algorithm::kTree);
  row.word = "tree";
  row.nccl = "tree";
  row.operations = SetOf({Operation::kAllReduce});
  row.latencies = {{6800, 14000, 0}, {600, 1250, 28000}, {1000, 1000, 0}, {5000, 8500, 0}};
  row.steps = StepsOfTree;
  row.up_and_down = true;
  row.pieces_in_flight = SeveralPieces;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return MakeTreeSchedule(spec.bytes, choice.protocol, shape, options);
  };
  return row;
}

constexpr AlgorithmRow Nvls() {
  AlgorithmRow row = Row(Algorithm::kNvls);
  row.by_nvswitches = true;
  row.word = "nvls";
  row.nccl = "nvls";
  row.operations = kReductions;
  row.obstacle = NoNvls;
  row.over_servers = Algorithm::kNvlsTree;
  row.steps = StepsOfNvls;
  row.latencies.base[static_cast<int>(Protocol::kSimple)] = 23000;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return MakeNvlsSchedule(spec.operation, spec.bytes, shape, options);
  };
  return row;
}

constexpr AlgorithmRow NvlsTree() {
  AlgorithmRow row = Row(Algorithm::kNvlsTree);
  row.by_nvswitches = true;
  row.word = "nvls_tree";
  row.nccl = "nvlstree";
  row.operations = kReductions;
  row.obstacle = NoNvls;
  row.in_one_server = Algorithm::kNvls;
  row.steps = StepsOfNvls;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return MakeNvlsTreeSchedule(spec.operation, spec.bytes, shape, options);
  };
  return row;
}

/// The row of messages sent directly from the first rank to the last.
constexpr AlgorithmRow Direct() {
  AlgorithmRow row = Row(Algorithm::kDirect);
  row.operations = SetOf({Operation::kAllToAll, Operation::kSendRecv});
  row.crosses_by_pxn = true;
  row.latencies = kRingLatencies;  // NCCL's table has no entry
  row.steps = StepsOfDirect;
  row.order = AtOnce;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    if (spec.operation == Operation::kSendRecv)
      return std::make_unique<SendRecvSchedule>(spec, shape, choice.pxn);
    if (spec.sizes != nullptr && spec.sizes->tokens != nullptr)
      return std::make_unique<TwoHopSchedule>(*spec.sizes, shape, options);
    if (spec.sizes != nullptr) return std::make_unique<AllToAllVSchedule>(*spec.sizes, shape);
    if (choice.pxn) return std::make_unique<PxnAllToAllSchedule>(spec.bytes, shape);
    return std::make_unique<AllToAllSchedule>(spec.bytes, shape);
  };
  return row;
}

/// Latencies: NCCL 2.30, src/graph/tuning.cc; NCCL has PAT with Simple only.
constexpr AlgorithmRow Pat() {
  AlgorithmRow row = Row(Algorithm::kPat);
  row.word = "pat";
  row.nccl = "pat";
  row.operations = SetOf({Operation::kAllGather, Operation::kReduceScatter});
  row.obstacle = WhyNoPat;
  row.latencies = {{0, 0, 8000}, {0, 0, 4000}, {0, 0, 4000}, {0, 0, 14000}};
  row.steps = StepsOfPat;
  row.order = InOrder;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<PatSchedule>(spec, shape, PatPlanOf(spec, shape.ranks(), options));
  };
  return row;
}

/// NVLS as NCCL has it; algorithm.nvls=multimem puts it in the place of kNvls.
constexpr AlgorithmRow NvlsMultimem() {
  AlgorithmRow row = Row(Algorithm::kNvlsMultimem);
  row.by_nvswitches = true;
  row.operations = kReductions;
  row.obstacle = NoNvls;
  row.over_servers = Algorithm::kNvlsTree;
  row.steps = StepsOfMultimem;
  row.pieces_in_flight = MultimemPieces;
  row.latencies.base[static_cast<int>(Protocol::kSimple)] = 23000;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<MultimemSchedule>(spec, shape, options);
  };
  return row;
}

/// To the head and from it, or one of both, and through the switches.
MessageSteps StepsOfCollNetDirect(const CollectiveSpec& spec, const GroupShape& shape) {
  if (shape.fewest_locals() == 1) return {0, 1};
  return {spec.operation == Operation::kAllReduce ? 2.0 : 1.0, 1};
}
MessageSteps StepsOfCollNetChain(const CollectiveSpec& /*spec*/, const GroupShape& shape) {
  return {2 * (shape.fewest_locals() - 1.0), 1};
}

/// Latencies: NCCL 2.30, src/graph/tuning.cc, where CollNet has Simple only.
constexpr AlgorithmRow CollNetDirect() {
  AlgorithmRow row = Row(Algorithm::kCollNetDirect);
  row.word = "collnet_direct";
  row.nccl = "collnetdirect";
  row.uses_trees = true;
  row.by_sum_operations = SetOf({Operation::kAllReduce});
  row.operations = kReductions;
  row.obstacle = [](const GroupShape& shape, const ChunkOptions&) {
    return WhyNoCollNet(CollNetForm::kDirect, shape);
  };
  row.latencies = {{0, 0, 0}, {0, 0, 3700}, {0, 0, 3700}, {0, 0, 31000}};
  row.steps = StepsOfCollNetDirect;
  row.pieces_in_flight = CollNetPieces;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    if (spec.operation != Operation::kAllReduce)
      return std::make_unique<CollNetPartsSchedule>(spec, shape, options);
    return std::make_unique<CollNetSchedule>(CollNetForm::kDirect, spec, shape, options);
  };
  return row;
}

constexpr AlgorithmRow CollNetChain() {
  AlgorithmRow row = CollNetDirect();
  row.algorithm = row.in_one_server = row.over_servers = Algorithm::kCollNetChain;
  row.word = "collnet_chain";
  row.nccl = "collnetchain";
  row.operations = SetOf({Operation::kAllReduce});
  row.obstacle = [](const GroupShape& shape, const ChunkOptions&) {
    return WhyNoCollNet(CollNetForm::kChain, shape);
  };
  row.latencies = {{0, 0, 0}, {0, 0, 2800}, {0, 0, 2800}, {0, 0, 30000}};
  row.steps = StepsOfCollNetChain;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<CollNetSchedule>(CollNetForm::kChain, spec, shape, options);
  };
  return row;
}

/// A request and a store within servers, and the switches.
MessageSteps StepsOfNvlsCollNet(const CollectiveSpec& /*spec*/, const GroupShape& /*shape*/) {
  return {2, 1};
}

/// NVLS within servers and CollNet between them: NCCL's NVLS over several servers. Latencies: NCCL
/// 2.30, src/graph/tuning.cc.
constexpr AlgorithmRow NvlsCollNet() {
  AlgorithmRow row = Row(Algorithm::kNvlsCollNet);
  row.by_nvswitches = true;
  row.word = "nvls_collnet";
  row.uses_trees = true;
  row.operations = SetOf({Operation::kAllReduce});
  row.in_one_server = Algorithm::kNvlsMultimem;
  row.obstacle = [](const GroupShape& shape, const ChunkOptions&) {
    return shape.servers() == 1 ? WhyNoNvls(shape)
                                : WhyNoMultimemTree(AboveHeads::kSwitches, shape);
  };
  row.latencies.base[static_cast<int>(Protocol::kSimple)] = 25000;
  row.latencies.network[static_cast<int>(Protocol::kSimple)] = 18000;
  row.steps = StepsOfNvlsCollNet;
  row.pieces_in_flight = MultimemTreePieces;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<MultimemTreeSchedule>(AboveHeads::kSwitches, spec, shape, options);
  };
  return row;
}

/// NVLS-Tree as NCCL has it; algorithm.nvls=multimem puts it in the place of kNvlsTree.
constexpr AlgorithmRow NvlsTreeMultimem() {
  AlgorithmRow row = Row(Algorithm::kNvlsTreeMultimem);
  row.by_nvswitches = true;
  row.operations = SetOf({Operation::kAllReduce});
  row.in_one_server = Algorithm::kNvlsMultimem;
  row.obstacle = [](const GroupShape& shape, const ChunkOptions&) {
    return WhyNoMultimemTree(AboveHeads::kBinaryTrees, shape);
  };
  row.steps = StepsOfNvls;
  row.pieces_in_flight = MultimemTreePieces;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape& shape,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<MultimemTreeSchedule>(AboveHeads::kBinaryTrees, spec, shape, options);
  };
  return row;
}

/// Algorithms of files, one an operation (ChunkOptions::custom). Latencies: the ring's.
constexpr AlgorithmRow Custom() {
  AlgorithmRow row = Row(Algorithm::kCustom);
  row.operations = kReductions | SetOf({Operation::kAllToAll});
  row.obstacle = [](const GroupShape&, const ChunkOptions& options) {
    return std::string(options.custom == nullptr ? "no file has an algorithm" : "");
  };
  row.latencies = kRingLatencies;
  row.order = ByTable;
  row.make = [](const CollectiveSpec& spec, const AlgorithmChoice&, const GroupShape&,
                const ChunkOptions& options) -> SchedulePtr {
    return std::make_unique<CustomSchedule>(spec, options);
  };
  return row;
}

constexpr std::array<AlgorithmRow, kAlgorithms> kRows = {
    Ring(),         Tree(),          Nvls(),         NvlsTree(),    Direct(),           Pat(),
    NvlsMultimem(), CollNetDirect(), CollNetChain(), NvlsCollNet(), NvlsTreeMultimem(), Custom()};

/// Fails to compile if a value of the enum has no row, or a row is in the wrong place.
constexpr bool RowsAreComplete() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].algorithm != static_cast<Algorithm>(i) || kRows[i].make == nullptr) return false;
  }
  return true;
}
static_assert(RowsAreComplete(), "a row for each algorithm, in the order of the enum");

}  // namespace

const std::array<AlgorithmRow, kAlgorithms>& AlgorithmRows() { return kRows; }

const AlgorithmRow& RowOf(Algorithm algorithm) {
  const auto number = static_cast<std::size_t>(algorithm);
  HEDDLE_INVARIANT(number < kRows.size(), "no algorithm has number " + std::to_string(number));
  return kRows[number];
}

std::string WhyNot(const AlgorithmRow& row, Operation operation, const GroupShape& shape,
                   const ChunkOptions& options) {
  std::string obstacle = row.obstacle(shape, options);
  const bool by_operations = row.uses_trees && shape.trees() > 0 && shape.sum_operations().any();
  if (!obstacle.empty() || !by_operations) return obstacle;
  if (AlgorithmRow::Has(row.by_sum_operations, operation)) return {};
  return "switches are in low-latency mode (aggregation.mode), which serves ALLREDUCE by "
         "collnet_direct and collnet_chain only";
}

std::vector<std::string> WordsFor(Operation operation) {
  std::vector<std::string> words;
  for (const AlgorithmRow& row : kRows) {
    if (row.word != nullptr && row.Does(operation)) words.emplace_back(row.word);
  }
  return words;
}

}  // namespace heddle
