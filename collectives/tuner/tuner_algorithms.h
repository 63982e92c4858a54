// SPDX-License-Identifier: GPL-2.0-only
/// The algorithms among which NCCL's tuner chooses, one row each: names, operations, latencies.
///
/// Source: NCCL 2.30, src/graph/tuning.cc. They are not those of
/// collectives/algorithms/algorithm_table.h: the tuner also knows algorithms that heddle does not
/// simulate, and its latencies are newer than the latencies of simulated messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// In the order in which NCCL compares them; of equal times the first one wins.
enum class TunerAlgorithm : std::uint8_t {
  kTree,
  kRing,
  kCollNetDirect,
  kCollNetChain,
  kNvls,
  kNvlsTree,
  kPat
};
inline constexpr std::size_t kTunerAlgorithms = 7;
/// LL, LL128 and Simple, in the order of Protocol.
inline constexpr std::size_t kTunerProtocols = 3;
static_assert(static_cast<std::size_t>(Protocol::kNone) == kTunerProtocols);

/// [us] by protocol.
using ByProtocol = std::array<double, kTunerProtocols>;

struct TunerAlgorithmRow {
  TunerAlgorithm algorithm = TunerAlgorithm::kRing;
  const char* name = nullptr;  ///< as in results
  const char* word = nullptr;  ///< in options algorithm.*
  const char* nccl = nullptr;  ///< in NCCL_ALGO, in lower case
  std::uint32_t operations = 0;
  bool simple_only = false;  ///< has no LL and no LL128
  ByProtocol base = {};      ///< once
  /// Latencies of a message by NVLink, by PCIe and over the network.
  ByProtocol nvlink = {}, pci = {}, net = {};

  /// Whether the algorithm has the operation.
  constexpr bool Does(Operation operation) const {
    return ((operations >> static_cast<unsigned>(operation)) & 1U) != 0;
  }
};

/// Returns all rows, in the order of the enum.
const std::array<TunerAlgorithmRow, kTunerAlgorithms>& TunerAlgorithmRows();
const TunerAlgorithmRow& RowOf(TunerAlgorithm algorithm);  ///< by number

/// Whether the tuner chooses for this operation at all: not for AllToAll and SendRecv.
bool IsTuned(Operation operation);

/// Returns the simulated algorithm that this one is for an operation over so many servers. None:
/// CollNet of other operations than AllReduce, and NVLS over several servers, which needs CollNet.
std::optional<Algorithm> SimulatedAs(Operation operation, TunerAlgorithm algorithm,
                                     std::uint32_t servers);

/// Lists the words of the algorithms for an operation, in the order of the enum.
std::vector<std::string> TunerWordsFor(Operation operation);

}  // namespace heddle
