// SPDX-License-Identifier: GPL-2.0-only
/// Chooses NCCL's protocol for a collective.
///
/// As NCCL does, predicts the time of every protocol and takes the fastest, from the latencies of
/// nccl_latency.h: base + steps * hardware latency + bytes / (bandwidth * efficiency), where
/// efficiency is the fraction of the bytes on the wire that are data; an AllReduce by ring or tree
/// at the rates of NCCL's tuner. With algorithm.choice=nccl the tuner itself chooses
/// (nccl_choice.h). Omitted: the fabric's own rates: a choice does not depend on congestion or
/// failed links.
#pragma once

#include <string>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "core/base/units.h"

namespace heddle {

/// Assumed sending rates of a GPU, for predictions only.
struct NominalRates {
  BitRate nvlink{2'400'000'000'000};  ///< SimAI's topologies of A100: 2400 Gbps
  BitRate network{400'000'000'000};   ///< SimAI's AS_NET_BW: 400 Gbps
};

/// Whether collective.protocol leaves this protocol of NCCL's; "auto" and "none" leave all.
bool AllowsProtocol(const CollectiveOptions& options, Protocol protocol);

/// Returns the protocol that the options name. For auto: none with send_lat, else the fastest;
/// Simple if the latencies have neither LL nor LL128, as with NVLS.
Protocol ChooseProtocol(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        const CollectiveOptions& options, const NominalRates& rates = {});

/// The fastest protocol of an AllReduce by one algorithm, by prediction.
struct AllReducePrediction {
  Protocol protocol = Protocol::kSimple;
  double seconds = 0;
};

/// Predicts an AllReduce by ring or tree of at least two ranks, with the fastest of the protocols
/// that the options allow. With collective.latency=nccl: the latencies of the simulation and the
/// rates of NCCL's tuner (tuner_bandwidth.h); else as ChooseProtocol, trees at 92 % of the ring's
/// rate.
AllReducePrediction PredictedAllReduce(const CollectiveSpec& spec, Algorithm algorithm,
                                       const GroupShape& shape, const std::string& gpu_type,
                                       const CollectiveOptions& options);

/// Whether an AllGather or ReduceScatter of at least two ranks is predicted to be faster by PAT
/// than by ring, with the fastest of the protocols that the options allow; PAT has Simple only.
/// With collective.latency=nccl: by NCCL's tuner (tuner.h); else as ChooseProtocol.
bool PatIsFaster(const CollectiveSpec& spec, const GroupShape& shape, const std::string& gpu_type,
                 const CollectiveOptions& options);

}  // namespace heddle
