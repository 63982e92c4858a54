// SPDX-License-Identifier: GPL-2.0-only
/// How batches are exchanged at a window's edge, and the cost of each kind: for the engine and for
/// predictions.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

enum class ExchangeKind {
  kAuto,  ///< for each window, chosen by SomePays() of the previous one
  kAll,   ///< to every other rank (DenseExchange)
  kSome,  ///< to the ranks for which there are messages (SparseExchange)
};
/// Parses "auto", "all", "some". Throws UsageError naming the three.
ExchangeKind ParseExchangeKind(const std::string& name);

/// Costs of the machine's network [s]. The defaults are typical for MPI on cluster networks.
struct EdgeCosts {
  double latency = 2e-6;
  double batch = 0.5e-6;  ///< processor time to send or to receive a batch
};

/// Returns the number of consecutive message steps in an agreement of `ranks` ranks
/// (EdgeAgreement).
std::uint32_t AgreementSteps(std::uint32_t ranks);

/// Returns the time of an exchange with all other ranks, without the messages' own time [s].
double TimeWithAll(std::uint32_t ranks, const EdgeCosts& costs);
/// Returns the time of an exchange in which the busiest rank sends to and receives from `partners`
/// ranks: those batches, and the agreement at the same time [s].
double TimeWithSome(std::uint32_t ranks, double partners, const EdgeCosts& costs);
/// Returns the shorter of the two [s].
double TimeOfExchange(std::uint32_t ranks, double partners, const EdgeCosts& costs);
/// Whether TimeWithSome() is less than TimeWithAll(): then an exchange with some ranks pays.
bool SomePays(std::uint32_t ranks, double partners, const EdgeCosts& costs);

}  // namespace heddle
