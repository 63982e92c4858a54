// SPDX-License-Identifier: GPL-2.0-only
/// ECN marking at a switch's egress queue: random early detection with thresholds by the port's
/// rate.
///
/// Source: SimAI's switch-node.cc, after Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015, section 3.1 (CP algorithm); names kmin, kmax, pmax follow the paper.
/// Not modelled: an average queue length (the instantaneous one is used, as in DCQCN), marking of
/// priority 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/units.h"
#include "transport/model/switch/rate_map.h"

namespace heddle {

class OptionSet;

struct EcnOptions {
  /// transport/model/replay/replay_permission.h: an episode with a queue that may be marked is no
  /// record.
  static constexpr bool kMayBeReplayed = true;

  bool enabled = true;  ///< ENABLE_QCN
  RateMap kmin, kmax;   ///< [KB = 1000 bytes]; defaults of SimAI.conf
  RateMap pmax;         ///< probability at kmax

  /// Sets the maps of SimAI.conf.
  EcnOptions();
  /// Adds ecn.*; queue lengths are 0 to 10 GB, probabilities 0 to 1.
  void Declare(OptionSet* options);
};

/// Thresholds by port rate.
class EcnTable {
 public:
  struct Thresholds {
    std::int64_t kmin = 0;  ///< up to here no packet is marked [byte]
    std::int64_t kmax = 0;  ///< beyond it every packet is marked [byte]
    double pmax = 0;        ///< marking probability at kmax
  };

  /// Copies the maps. For() checks them.
  explicit EcnTable(const EcnOptions& options);

  /// Returns the thresholds of a port of this rate, by the rule of rate_map.h if a map lacks it.
  /// `who` names the port in messages: "switch 12 port 3". Throws UserError if a map is empty or
  /// kmin > kmax.
  Thresholds For(BitRate rate, const std::string& who) const;

  /// Returns a text for each of the `rates` (ascending) that a map lacks: "800Gbps: kmin 1600 KB,
  /// kmax 6400 KB, pmax 0.2, scaled from 400Gbps". Throws as For().
  std::vector<std::string> DescribeScaled(const std::vector<BitRate>& rates) const;

 private:
  RateMap kmin_, kmax_, pmax_;
};

/// Whether a packet is marked that leaves `queued_bytes` in its queue. Draws a random number only
/// between kmin (exclusive) and kmax (inclusive), so that a stream's position depends on congestion
/// alone.
inline bool EcnMarks(const EcnTable::Thresholds& at, std::int64_t queued_bytes,
                     RandomStream* random) {
  if (queued_bytes <= at.kmin) return false;
  if (queued_bytes > at.kmax) return true;
  const double share =
      static_cast<double>(queued_bytes - at.kmin) / static_cast<double>(at.kmax - at.kmin);
  return random->Uniform() < at.pmax * share;
}

}  // namespace heddle
