// SPDX-License-Identifier: GPL-2.0-only
/// Joins the central controller's decisions to flows.
///
/// A request has a running number at its source; a row of table "flows" has that number in column
/// `request`. The controller may decide several times on one request, if a link fails and the flow
/// is rerouted: the last row is valid. If a message has several queue pairs, several flows may
/// share one request.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Names of the tables in the result of a run with the controller.
constexpr const char* kRequestTable = "controller/requests";
constexpr const char* kPathTable = "controller/paths";

/// No row; also the value of `request` in a flow that the controller did not decide on.
constexpr std::uint32_t kNoRow = ~0U;

/// Values of column `outcome`.
enum class ControllerOutcome : std::uint8_t { kFreePath = 0, kHostsOwnPort = 1, kLeastLoaded = 2 };

/// Returns for each flow: its last row of table "controller/requests", or kNoRow. Throws UserError
/// for missing columns.
std::vector<std::uint32_t> DecisionsOfFlows(const Table& flows, const Table& requests);

/// Returns for each row of table "controller/requests": its first flow, or kNoRow if `flows` has
/// none (in a run without records of flows it has only unfinished ones).
std::vector<std::uint32_t> FlowsOfDecisions(const Table& flows, const Table& requests);

/// Returns the rows of table "controller/paths" by decision: rows first[i] to first[i + 1] belong
/// to decision i. Throws UserError if the rows of a decision are not consecutive and in the order
/// of decisions, or belong to a decision that does not exist.
std::vector<std::size_t> HopsOfDecisions(const Table& requests, const Table& paths);

}  // namespace heddle
