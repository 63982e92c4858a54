// SPDX-License-Identifier: GPL-2.0-only
/// The pieces of a critical path summed up by cause and link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/step/caused_piece.h"

namespace heddle {

/// All parts with one cause and one link.
struct CauseSum {
  StepCause cause = StepCause::kOther;
  HopIndex hop = kNoHop;
  std::string link;  ///< name of `hop`; empty if no link is to blame
  std::int64_t ps = 0, parts = 0;
  std::vector<std::string> with;  ///< who else sent there, those with most bytes first
};

/// Returns parts [ps] that sum up to `length`, in the proportion of `parts`, of which none may be
/// 0 and which may be empty only for a `length` of 0; what is rounded belongs to the last part. A
/// message that had to leave before the next one is on the path for a part of its time only.
std::vector<CausePart> ScaledParts(std::vector<CausePart> parts, std::int64_t length);

/// Names the others on the link of a piece, with their bytes there meanwhile. A name may come
/// several times.
using OthersOfPiece =
    std::function<std::vector<std::pair<std::string, double>>(const CausedPiece& piece)>;

/// Returns one entry a cause and link, the longest first; they sum up to the pieces. Links of
/// kOwnLink do not count: a sender's own link is busy with what it has to send. The first three of
/// others are named, for collisions and receivers only. `link_name`: of a port.
std::vector<CauseSum> SumByCause(const std::vector<CausedPiece>& pieces,
                                 const OthersOfPiece& others,
                                 const std::function<std::string(HopIndex)>& link_name);

/// Returns the indices of the longest pieces, at most `most`, the longest first, of equals the
/// first.
std::vector<std::size_t> LongestPieces(const std::vector<CausedPiece>& pieces, std::size_t most);

}  // namespace heddle
