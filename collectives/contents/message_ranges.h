// SPDX-License-Identifier: GPL-2.0-only
/// Messages that carry several ranges of the operation's buffer, one after the other
/// (Schedule::ForEachRange).
#pragma once

#include <vector>

#include "collectives/contents/part_buffer.h"
#include "collectives/schedule/message_name.h"
#include "collectives/schedule/pieces.h"
#include "core/traffic/message_contents.h"

namespace heddle {

/// Returns the ranges of a message in the order in which it carries them; for most it is `slice`
/// alone. Throws InvariantError if they have not the bytes of `slice`.
std::vector<ByteRange> RangesOf(const Schedule& schedule, const MessageName& name,
                                const MessageSlice& slice);

/// Copies what `buffer` has in these ranges to `to`, one after the other.
void GatherRanges(const std::vector<ByteRange>& ranges, PartBuffer* buffer, char* to);

/// Adds or puts `payload`, which has these ranges one after the other, to where they belong.
void SpreadRanges(const std::vector<ByteRange>& ranges, bool reduces, const char* payload,
                  PartBuffer* buffer);

}  // namespace heddle
