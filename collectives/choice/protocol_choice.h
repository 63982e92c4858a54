// SPDX-License-Identifier: GPL-2.0-only
/// Which of NCCL's protocols a collective takes.
///
/// NCCL predicts the time of every protocol and takes the fastest; so does this, from the latencies
/// of nccl_latency.h: base + steps * hardware latency + bytes / (bandwidth * efficiency), where
/// efficiency is the part of the wire that carries data. Omitted: NCCL's tuning by measured tables,
/// and the fabric's own rates: a choice does not depend on congestion or failed links.
#ifndef HEDDLE_COLLECTIVES_CHOICE_PROTOCOL_CHOICE_H_
#define HEDDLE_COLLECTIVES_CHOICE_PROTOCOL_CHOICE_H_

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "core/base/units.h"

namespace heddle {

/// What a GPU is taken to send at, for predictions only.
struct NominalRates {
  BitRate nvlink{2'400'000'000'000};  ///< SimAI's topologies of A100: 2400 Gbps
  BitRate network{400'000'000'000};   ///< SimAI's AS_NET_BW: 400 Gbps
};

/// The protocol in force: the one that the options name; auto: none with send_lat, else the
/// fastest. NVLS has only Simple.
Protocol ChooseProtocol(const CollectiveSpec& spec, Algorithm algorithm, const GroupShape& shape,
                        const CollectiveOptions& options, const NominalRates& rates = {});

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_PROTOCOL_CHOICE_H_
