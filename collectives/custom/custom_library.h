// SPDX-License-Identifier: GPL-2.0-only
/// The algorithms that a run has from files, one an operation.
#ifndef HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_LIBRARY_H_
#define HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_LIBRARY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "collectives/custom/custom_algorithm.h"
#include "collectives/custom/custom_messages.h"

namespace heddle {

class CustomLibrary {
 public:
  /// A proved algorithm (custom_proof.h); replaces an earlier one of its operation.
  void Add(CustomAlgorithm algorithm);
  /// Null: the operation has none.
  const CustomAlgorithm* Find(Operation operation) const;
  /// Its messages in so many rounds; made once. The operation must have an algorithm. Throws as
  /// CustomMessages().
  std::shared_ptr<const CustomMessages> MessagesOf(Operation operation, std::uint32_t rounds) const;

 private:
  std::map<Operation, CustomAlgorithm> algorithms_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<Operation, std::uint32_t>, std::shared_ptr<const CustomMessages>>
      messages_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_LIBRARY_H_
