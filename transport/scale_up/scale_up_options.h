// SPDX-License-Identifier: GPL-2.0-only
/// Options of scale-up links; docs/models/scale-up.md describes the model. What the links are comes
/// from the fabric (topology/graph/scale_up.h).
#ifndef HEDDLE_TRANSPORT_SCALE_UP_SCALE_UP_OPTIONS_H_
#define HEDDLE_TRANSPORT_SCALE_UP_SCALE_UP_OPTIONS_H_

namespace heddle {

class OptionSet;

struct ScaleUpOptions {
  /// transport/replay/replay_permission.h: fabrics with such links are refused.
  static constexpr bool kMayBeReplayed = true;

  bool credits = true;     ///< packets wait for buffers at the far end
  bool trains = true;      ///< packets that nothing can part are one event
  bool congestion = true;  ///< links carry one packet after the other

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_SCALE_UP_SCALE_UP_OPTIONS_H_
