// SPDX-License-Identifier: GPL-2.0-only
/// Values of the options algorithm.*: auto, fastest, an algorithm, several joined by +, or a file.
///
/// NCCL's tuner chooses among several. SimCCL's choice knows no lists: it stays automatic if that
/// can only come to one of them, and else takes the ring if it is among them, or the first one that
/// is simulated.
#ifndef HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_LIST_H_
#define HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_LIST_H_

#include <string>
#include <vector>

#include "core/options/options.h"
#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Values without a list: the choice as it is; ring or tree, or ring or PAT, by NCCL's prediction.
inline constexpr const char* kAutoAlgorithm = "auto";
inline constexpr const char* kFastestAlgorithm = "fastest";

/// Begins a value that names a file with an algorithm: "file:two_step.xml".
inline constexpr const char* kAlgorithmFile = "file:";

/// The file that a value names; empty: none.
std::string AlgorithmFileOf(const std::string& value);

/// The words of a value; none for auto and fastest, which leave all, and for files.
std::vector<std::string> AlgorithmsIn(const std::string& value);

/// What SimCCL's choice makes of a value: auto (also for files), fastest, or the word of a
/// simulated algorithm; empty if none of the list is simulated.
std::string SimcclAlgorithm(Operation operation, const std::string& value);

/// Words that an option may have: of simulated algorithms, then of those that only NCCL's tuner
/// knows.
std::vector<std::string> AllWordsFor(Operation operation);

/// Declares algorithm.OPERATION.
void AddAlgorithmOption(OptionSet* options, Operation operation, const OptionSet::About& about,
                        std::string* value);

/// Whether SimCCL's automatic choice can return it.
bool IsAutomatic(Algorithm algorithm);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_LIST_H_
