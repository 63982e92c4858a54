// SPDX-License-Identifier: GPL-2.0-only
/// The algorithms that a run has from files, one an operation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "collectives/custom/custom_algorithm.h"
#include "collectives/custom/custom_messages.h"

namespace heddle {

class CustomLibrary {
 public:
  /// Adds a proved algorithm (custom_proof.h); replaces an earlier one of its operation.
  void Add(CustomAlgorithm algorithm);
  /// Returns the operation's algorithm; null if it has none. Valid until the next Add().
  const CustomAlgorithm* Find(Operation operation) const;
  /// Returns its messages in so many rounds, which are made once. The operation must have an
  /// algorithm. May be called by several threads. Throws as CustomMessages().
  std::shared_ptr<const CustomMessages> MessagesOf(Operation operation, std::uint32_t rounds) const;

 private:
  std::map<Operation, CustomAlgorithm> algorithms_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<Operation, std::uint32_t>, std::shared_ptr<const CustomMessages>>
      messages_;
};

}  // namespace heddle
