// SPDX-License-Identifier: GPL-2.0-only
/// The collective algorithms, one row each, with everything that the rest of the program needs.
///
/// Options, the variable NCCL_ALGO, the choice of algorithm and protocol, latencies and
/// MakeSchedule read these rows. Only the automatic choice
/// (collectives/choice/algorithm_choice.cc), which is SimAI's, also names algorithms. Names in
/// results: core/records/collective_algorithm.h.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_ALGORITHM_TABLE_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_ALGORITHM_TABLE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// NCCL's latencies [ns] with LL, LL128 and Simple, in the order of the enum; 0: none in NCCL's
/// table. Source: the description of SimAI's communication stack, section 2.5.
struct NcclLatencies {
  static constexpr int kProtocols = 3;
  static_assert(static_cast<int>(Protocol::kNone) == kProtocols);

  std::int64_t base[kProtocols] = {};  ///< once, at the start of a collective
  std::int64_t nvlink[kProtocols] = {}, pci[kProtocols] = {}, network[kProtocols] = {};
};

/// Number of consecutive messages of a collective, by where they go.
struct MessageSteps {
  double inside = 0;   ///< inside a server
  double between = 0;  ///< between servers
};

/// How the messages of a collective follow each other, for predictions of its time.
enum class MessageOrder : std::uint8_t {
  kSteps,   ///< every rank sends in every step, and forwards in the next what it received
  kPieces,  ///< pieces follow each other along a path
  kAtOnce,  ///< all ranks send all at once
  /// All ranks send the same messages in one order, some of which wait for others (pat_rounds.h).
  kInOrder,
  kByTable,  ///< each message waits for some others, of which nothing simpler is known
};

struct AlgorithmRow {
  Algorithm algorithm = Algorithm::kRing;
  const char* word = nullptr;    ///< name in the options algorithm.*; null: not selectable by them
  const char* nccl = nullptr;    ///< name in NCCL_ALGO, in lower case; null: NCCL has none
  std::uint32_t operations = 0;  ///< operations that it supports: a bit for each
  /// Returns why it cannot serve such a group, whatever the operation is (WhyNot); empty: it can.
  std::string (*obstacle)(const GroupShape& shape, const ChunkOptions& options) = nullptr;
  /// Algorithms used in its place for a group in one server, and for one over several; mostly
  /// itself.
  Algorithm in_one_server = Algorithm::kRing, over_servers = Algorithm::kRing;
  bool by_nvswitches = false;  ///< flows end at NVSwitches, which add
  bool uses_trees = false;     ///< of switches that add, over several servers
  /// Operations that it supports where these add operation by operation, in low-latency mode.
  std::uint32_t by_sum_operations = 0;
  bool crosses_by_pxn = false;     ///< messages to another rail may go by PXN
  bool counts_reductions = false;  ///< SimAI 1.6 counts the memory accesses of its reductions
  NcclLatencies latencies;
  /// Consecutive messages, for predictions of its time.
  MessageSteps (*steps)(const CollectiveSpec& spec, const GroupShape& shape) = nullptr;
  MessageOrder (*order)(const CollectiveSpec& spec) = nullptr;
  bool up_and_down = false;  ///< pieces go up to a root, all at once, and down again
  /// Pieces that a rank has under way to a peer, if they follow each other.
  std::uint32_t (*pieces_in_flight)(const ChunkOptions& options) = nullptr;
  /// Makes the schedule of a group of at least two without an obstacle; `shape` must outlive it.
  std::unique_ptr<Schedule> (*make)(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                    const GroupShape& shape, const ChunkOptions& options) = nullptr;

  constexpr bool Does(Operation operation) const { return Has(operations, operation); }
  static constexpr bool Has(std::uint32_t set, Operation operation) {
    return ((set >> static_cast<unsigned>(operation)) & 1U) != 0;
  }
};

/// In the order of the enum.
const std::array<AlgorithmRow, kAlgorithms>& AlgorithmRows();
/// Throws InvariantError if the number is not an algorithm.
const AlgorithmRow& RowOf(Algorithm algorithm);
/// Why an algorithm cannot serve an operation of such a group, in words; empty: it can.
std::string WhyNot(const AlgorithmRow& row, Operation operation, const GroupShape& shape,
                   const ChunkOptions& options);
/// Option values that name an algorithm for this operation.
std::vector<std::string> WordsFor(Operation operation);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_ALGORITHM_TABLE_H_
