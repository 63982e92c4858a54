// SPDX-License-Identifier: GPL-2.0-only
/// Sizes of leaves and spines derived from the number of GPUs and a ratio of oversubscription.
#pragma once

#include "topology/generate/flag_set.h"
#include "topology/leaf_spine/leaf_spine_template.h"

namespace heddle {

/// Returns `given` with what follows from its ratio, or unchanged if it has none. The ratio is that
/// of the links below a full leaf to those above it, and that of all leaves together; whole numbers
/// of uplinks and leaves that are not full may miss it by up to 10 %.
///
/// Derived, unless `flags` (bound to `given`) says that the user gave it: NICs per leaf, at most
/// the template's, so that the segments are even and servers stay whole; the rate leaf-spine, which
/// stays the template's if it is at least the NIC's and fits, and else is the NIC's; leaves per
/// spine; and always the spines.
///
/// Throws UsageError for a given number of spines; UserError if no whole number of uplinks reaches
/// the ratio. The counts and texts of `given` must have been checked.
LeafSpineOptions DeriveFromRatio(const LeafSpineTemplate& t, const LeafSpineOptions& given,
                                 const FlagSet& flags);

}  // namespace heddle
