// SPDX-License-Identifier: GPL-2.0-only
/// Valid results to be damaged, and the commands that read results.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// The path of a file in ScratchFolder().
std::string InScratch(const std::string& name);

/// The bytes of a trace's result, a workload's result, and a RESULT.part.totals.
const std::vector<std::string>& SoundResults();
constexpr std::size_t kTotalsFile = 2;  ///< index of the totals, which are no result

/// The bytes of a row log that belongs to these totals.
const std::string& SoundRowLog();
/// heddle recover, of the files beside `result`; throws as the command does.
void RecoverResult(const std::string& result);

/// Reads a result; throws as the command does. Prints nothing. InScratch("made.h5") must be a valid
/// result.
using ResultCommand = std::function<void(const std::string& path)>;
/// All such commands, validate first.
const std::vector<ResultCommand>& ResultCommands();

}  // namespace heddle
