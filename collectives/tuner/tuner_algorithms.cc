// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_algorithms.h"

#include <initializer_list>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint32_t OperationSet(std::initializer_list<Operation> operations) {
  std::uint32_t set = 0;
  for (const Operation operation : operations) set |= 1U << static_cast<unsigned>(operation);
  return set;
}
constexpr std::uint32_t kAllReduceOnly = OperationSet({Operation::kAllReduce});
constexpr std::uint32_t kGathers = OperationSet({Operation::kAllGather, Operation::kReduceScatter});
constexpr std::uint32_t kReducing = kAllReduceOnly | kGathers;
constexpr std::uint32_t kAllTuned =
    kReducing | OperationSet({Operation::kBroadcast, Operation::kReduce});

/// An algorithm with Simple alone.
constexpr TunerAlgorithmRow OfSimple(TunerAlgorithm algorithm, const char* name, const char* word,
                                     const char* nccl, std::uint32_t operations, double nvlink,
                                     double pci, double net) {
  TunerAlgorithmRow row = {algorithm, name, word, nccl, operations, true, {}, {}, {}, {}};
  constexpr auto kSimple = static_cast<std::size_t>(Protocol::kSimple);
  row.nvlink[kSimple] = nvlink;
  row.pci[kSimple] = pci;
  row.net[kSimple] = net;
  return row;
}

constexpr std::array<TunerAlgorithmRow, kTunerAlgorithms> kAlgorithmRows = [] {
  std::array<TunerAlgorithmRow, kTunerAlgorithms> rows = {
      TunerAlgorithmRow{TunerAlgorithm::kTree,
                        "TREE",
                        "tree",
                        "tree",
                        kAllReduceOnly,
                        false,
                        {6.8, 14, 8.4},
                        {0.6, 1.25, 4},
                        {1, 1.9, 4},
                        {5, 8.5, 14}},
      TunerAlgorithmRow{TunerAlgorithm::kRing,
                        "RING",
                        "ring",
                        "ring",
                        kAllTuned,
                        false,
                        {6.6, 14, 8.4},
                        {0.6, 1.9, 3.4},
                        {1, 2.5, 5.7},
                        {2.7, 4, 14}},
      OfSimple(TunerAlgorithm::kCollNetDirect, "COLLNET_DIRECT", "collnet_direct", "collnetdirect",
               kReducing, 3.7, 3.7, 31),
      OfSimple(TunerAlgorithm::kCollNetChain, "COLLNET_CHAIN", "collnet_chain", "collnetchain",
               kAllReduceOnly, 2.8, 2.8, 30),
      OfSimple(TunerAlgorithm::kNvls, "NVLS", "nvls", "nvls", kReducing, 25, 0, 18),
      OfSimple(TunerAlgorithm::kNvlsTree, "NVLS_TREE", "nvls_tree", "nvlstree", kAllReduceOnly, 25,
               0, 20.9),
      OfSimple(TunerAlgorithm::kPat, "PAT", "pat", "pat", kGathers, 4, 4, 14)};
  rows.back().base = {8, 8, 8};
  return rows;
}();

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kAlgorithmRows.size(); ++i) {
    if (kAlgorithmRows[i].algorithm != static_cast<TunerAlgorithm>(i)) return false;
  }
  return true;
}
static_assert(RowsAreInOrder(), "a row for each algorithm, in the order of the enum");

}  // namespace

const std::array<TunerAlgorithmRow, kTunerAlgorithms>& TunerAlgorithmRows() {
  return kAlgorithmRows;
}

const TunerAlgorithmRow& RowOf(TunerAlgorithm algorithm) {
  const auto number = static_cast<std::size_t>(algorithm);
  HEDDLE_INVARIANT(number < kAlgorithmRows.size(),
                   "no algorithm of the tuner has number " + std::to_string(number));
  return kAlgorithmRows[number];
}

bool IsTuned(Operation operation) { return RowOf(TunerAlgorithm::kRing).Does(operation); }

std::optional<Algorithm> SimulatedAs(Operation operation, TunerAlgorithm algorithm,
                                     std::uint32_t servers) {
  switch (algorithm) {
    case TunerAlgorithm::kTree:
      return Algorithm::kTree;
    case TunerAlgorithm::kRing:
      return Algorithm::kRing;
    case TunerAlgorithm::kNvls:
      if (servers == 1) return Algorithm::kNvls;
      if (operation == Operation::kAllReduce) return Algorithm::kNvlsCollNet;
      break;
    case TunerAlgorithm::kNvlsTree:
      return Algorithm::kNvlsTree;
    case TunerAlgorithm::kPat:
      return Algorithm::kPat;
    case TunerAlgorithm::kCollNetDirect:
      return Algorithm::kCollNetDirect;
    case TunerAlgorithm::kCollNetChain:
      return Algorithm::kCollNetChain;
  }
  return std::nullopt;
}

std::vector<std::string> TunerWordsFor(Operation operation) {
  std::vector<std::string> words;
  for (const TunerAlgorithmRow& row : kAlgorithmRows) {
    if (row.Does(operation)) words.emplace_back(row.word);
  }
  return words;
}

}  // namespace heddle
