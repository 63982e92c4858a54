// SPDX-License-Identifier: GPL-2.0-only
/// Whether an algorithm does what its operation is: its steps are executed with symbols in the
/// place of data.
///
/// A chunk holds the set of all inputs that were added to it. The steps are executed in eight
/// orders: the block with the lowest number first, that with the highest number first, and six
/// random ones. Each must come to the end, add no input twice, read no chunk that was never
/// written, and leave in each output what the operation defines. An order that the steps leave open
/// and that matters is mostly found thereby.
#ifndef HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_PROOF_H_
#define HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_PROOF_H_

#include "collectives/custom/custom_algorithm.h"

namespace heddle {

/// Throws UserError with the place of the first fault: numbers of chunks that do not fit the
/// operation, steps that wait for each other, an input added twice, a wrong result. What
/// ConnectionsOf() refuses is refused first.
void ProveCustom(const CustomAlgorithm& algorithm);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_PROOF_H_
