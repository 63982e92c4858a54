// SPDX-License-Identifier: GPL-2.0-only
/// What all Ultra Ethernet flows of a run share: its rules, set to the size of the network.
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "transport/model/entropy/entropy_chooser.h"
#include "transport/model/switch/ecn.h"
#include "transport/model/uec/arrival_window.h"
#include "transport/model/uec/loss_recovery.h"
#include "transport/model/uec/nscc.h"
#include "transport/model/uec/oversubscription_control.h"
#include "transport/model/uec/pull_pacer.h"
#include "transport/model/uec/receiver_credit.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

struct UecRun {
  /// `classes`: bit p: flows of priority p are Ultra Ethernet's.
  UecRun(const UecOptions& uec, const EntropyOptions& entropy, const UecScale& network,
         std::uint8_t flow_classes)
      : options(uec),
        scale(network),
        nscc(uec, scale),
        credit(uec, scale),
        arrivals(uec),
        pulls(uec, scale),
        rates(scale),
        recovery(uec, scale),
        entropies(entropy),
        classes(flow_classes),
        uses_window(uec.uses_window()),
        uses_credit(uec.uses_credit()),
        in_order(uec.in_order()) {}

  /// Returns the data that a switch's port of this rate may hold [byte on the wire]: the scale's
  /// limit in proportion to the rate.
  std::int64_t QueueLimit(BitRate link, bool last_hop) const {
    return Scaled(last_hop ? scale.last_hop_limit : scale.queue_limit, link);
  }
  /// Returns the trimmed and control packets that such a port may hold [byte on the wire].
  std::int64_t ControlLimit(BitRate link) const { return Scaled(scale.trimmed_limit, link); }
  /// Returns the marking thresholds of a port of this rate. No packet is marked on the last hop if
  /// the receiver's credit keeps that queue short.
  EcnTable::Thresholds Ecn(BitRate link, bool last_hop) const;

  UecOptions options;
  UecScale scale;
  Nscc nscc;
  ReceiverCredit credit;
  ArrivalRules arrivals;
  PullRules pulls;
  OversubscriptionControl rates;
  LossRecovery recovery;
  EntropyChooser entropies;
  std::uint8_t classes;
  /// What the options' words mean, for each packet.
  bool uses_window, uses_credit, in_order;

 private:
  /// Returns `bytes` in proportion to the link's rate, at least one packet.
  std::int64_t Scaled(std::int64_t bytes, BitRate link) const;
};

/// Returns the scale of this network: the rate of its fastest NIC, the base round trip of its two
/// most distant GPUs, the largest oversubscription of its tiers. Throws UserError for one without
/// NICs.
UecScale ScaleOf(const Graph& graph, const UecOptions& options);

}  // namespace heddle
