// SPDX-License-Identifier: GPL-2.0-only
/// Which decision of the central controller belongs to which flow.
///
/// A request has a running number at its source; a row of table "flows" carries that number in
/// column `request`. The controller may decide several times on one request (a link failed and the
/// flow was moved): the last row is the one in force. Where a message has several queue pairs,
/// several flows may carry one request.
#ifndef HEDDLE_IO_ANALYSIS_CONTROLLER_JOIN_H_
#define HEDDLE_IO_ANALYSIS_CONTROLLER_JOIN_H_

#include <cstdint>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Names of the tables in the result of a run with the controller.
constexpr const char* kRequestTable = "controller/requests";
constexpr const char* kPathTable = "controller/paths";

/// No row; also the value of `request` in a flow that the controller had no say in.
constexpr std::uint32_t kNoRow = ~0U;

/// Values of column `outcome`.
enum class ControllerOutcome : std::uint8_t { kFreePath = 0, kHostsOwnPort = 1, kLeastLoaded = 2 };

/// Of each flow: the last row of table "controller/requests" about it, or kNoRow. Throws UserError
/// for missing columns.
std::vector<std::uint32_t> DecisionsOfFlows(const Table& flows, const Table& requests);

/// Of each row of table "controller/requests": the first flow that it is about, or kNoRow where
/// `flows` has none (it keeps only flows that did not finish in runs without records of flows).
std::vector<std::uint32_t> FlowsOfDecisions(const Table& flows, const Table& requests);

/// Where the hops of each decision are in table "controller/paths": rows first[i] to first[i + 1]
/// belong to decision i. Throws UserError if rows of a decision are not consecutive, in the order
/// of decisions, or name one that does not exist.
std::vector<std::size_t> HopsOfDecisions(const Table& requests, const Table& paths);

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_CONTROLLER_JOIN_H_
