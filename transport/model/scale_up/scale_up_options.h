// SPDX-License-Identifier: GPL-2.0-only
/// Options of scale-up links; docs/models/scale-up.md describes the model. What the links are comes
/// from the fabric (topology/graph/scale_up.h).
#pragma once

namespace heddle {

class OptionSet;

struct ScaleUpOptions {
  /// transport/model/replay/replay_permission.h: fabrics with such links are refused.
  static constexpr bool kMayBeReplayed = true;

  bool credits = true;     ///< packets wait for buffers at the far end
  bool trains = true;      ///< packets that nothing can part are one event
  bool congestion = true;  ///< links carry one packet after the other

  /// Adds scale_up.*.
  void Declare(OptionSet* options);
};

}  // namespace heddle
