// SPDX-License-Identifier: GPL-2.0-only
/// What one rank does in a collective in phases, as text: `heddle collective --phases 2x4x4`.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/phased/phased_options.h"
#include "collectives/schedule/collective_spec.h"
#include "io/table/json_document.h"

namespace heddle {

/// Collectives over dimensions without a fabric: PhasedOptions::layout names them.
struct PhasesRequest {
  CollectiveSpec spec;
  PhasedOptions options;
  std::uint32_t ranks = 0;
  std::uint32_t rank = 0;  ///< whose messages are listed
};

/// Returns the operation, its chunks, and the bytes that leave a rank by dimension.
std::string PhasesHead(const PhasesRequest& request);
/// Returns a line for each message of the first chunk, in the order in which the rank sends them:
/// phase, operation, dimension, number, peer, bytes, and the messages that it must have received in
/// the phase. `csv`: with commas, else in columns. Throws UserError if the dimensions are not those
/// of so many ranks.
std::string PhasesMessages(const PhasesRequest& request, bool csv);

/// Returns both as a part of the object of --json.
OrderedJson PhasesJson(const PhasesRequest& request);

}  // namespace heddle
