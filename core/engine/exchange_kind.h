// SPDX-License-Identifier: GPL-2.0-only
/// How batches travel at a window's edge, and when which way pays: for the engine and for
/// predictions.
#ifndef HEDDLE_CORE_ENGINE_EXCHANGE_KIND_H_
#define HEDDLE_CORE_ENGINE_EXCHANGE_KIND_H_

#include <cstdint>
#include <string>

namespace heddle {

enum class ExchangeKind {
  kAuto,  ///< for each window what SomePays() says of the one before
  kAll,   ///< to every other rank (DenseExchange)
  kSome,  ///< to those for which there is something (SparseExchange)
};
/// Parses "auto", "all", "some". Throws UsageError naming the three.
ExchangeKind ParseExchangeKind(const std::string& name);

/// What the machine's network takes [s]. The defaults are usual for MPI on cluster networks.
struct EdgeCosts {
  double latency = 2e-6;
  double batch = 0.5e-6;  ///< a processor's time for a batch that leaves, or comes
};

/// Messages that follow one another while so many ranks agree on an edge (EdgeAgreement).
std::uint32_t AgreementSteps(std::uint32_t ranks);

/// Time of an exchange with all others, besides the messages in it [s].
double TimeWithAll(std::uint32_t ranks, const EdgeCosts& costs);
/// The same where the busiest rank sends to and gets from `partners` others: these, and the
/// agreement meanwhile.
double TimeWithSome(std::uint32_t ranks, double partners, const EdgeCosts& costs);
/// The shorter of the two.
double TimeOfExchange(std::uint32_t ranks, double partners, const EdgeCosts& costs);
bool SomePays(std::uint32_t ranks, double partners, const EdgeCosts& costs);

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_EXCHANGE_KIND_H_
