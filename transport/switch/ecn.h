// SPDX-License-Identifier: GPL-2.0-only
/// ECN marking at a switch's egress queue: random early detection with thresholds by the port's
/// rate.
///
/// Source: SimAI's switch-node.cc, after Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015, section 3.1 (CP algorithm); names kmin, kmax, pmax follow the paper.
/// Not modelled: an average queue length (the instantaneous one is used, as in DCQCN), marking of
/// priority 0.
#ifndef HEDDLE_TRANSPORT_SWITCH_ECN_H_
#define HEDDLE_TRANSPORT_SWITCH_ECN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/options.h"
#include "core/base/random.h"
#include "core/base/units.h"

namespace heddle {

/// A value for each link rate, as KMAX_MAP writes it: `n rate value rate value ...`. Sorted by
/// rate, each rate once.
class RateMap {
 public:
  struct Entry {
    BitRate rate;
    double value;
  };

  RateMap() = default;
  /// Rates are in bit/s or have a unit ("400Gbps"). Values are 0 to `high`; `unit` ("KB") is for
  /// messages. Throws UserError that says what was expected.
  static RateMap Parse(std::string_view text, double high, const std::string& unit);

  /// The value for a rate, or null.
  const double* Find(BitRate rate) const;
  const std::vector<Entry>& entries() const { return entries_; }
  /// The canonical text: rates ascending, in bit/s. SimAI can read it.
  std::string ToText() const;

 private:
  std::vector<Entry> entries_;
};

struct EcnOptions {
  bool enabled = true;  ///< ENABLE_QCN
  RateMap kmin, kmax;   ///< [KB = 1000 bytes]; defaults of SimAI.conf
  RateMap pmax;         ///< probability at kmax

  EcnOptions();
  void Declare(OptionSet* options);
};

/// The thresholds of every port rate.
class EcnTable {
 public:
  struct Thresholds {
    std::int64_t kmin = 0;  ///< up to here no packet is marked [byte]
    std::int64_t kmax = 0;  ///< beyond it every packet is marked [byte]
    double pmax = 0;        ///< marking probability at kmax
  };

  explicit EcnTable(const EcnOptions& options);

  /// Thresholds of a port of this rate. `who` names the port in messages: "switch 12 port 3".
  /// Throws UserError if a map lacks the rate or kmin > kmax.
  Thresholds For(BitRate rate, const std::string& who) const;

 private:
  RateMap kmin_, kmax_, pmax_;
};

/// Whether a packet that leaves behind `queued_bytes` in its queue is marked. Draws a random number
/// only between kmin (exclusive) and kmax (inclusive), so that a stream's position depends on
/// congestion alone.
inline bool EcnMarks(const EcnTable::Thresholds& at, std::int64_t queued_bytes,
                     RandomStream* random) {
  if (queued_bytes <= at.kmin) return false;
  if (queued_bytes > at.kmax) return true;
  const double share =
      static_cast<double>(queued_bytes - at.kmin) / static_cast<double>(at.kmax - at.kmin);
  return random->Uniform() < at.pmax * share;
}

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_SWITCH_ECN_H_
