// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_library.h"

#include <utility>

#include "core/base/check.h"

namespace heddle {

void CustomLibrary::Add(CustomAlgorithm algorithm) {
  const Operation operation = algorithm.operation;
  algorithms_[operation] = std::move(algorithm);
}

const CustomAlgorithm* CustomLibrary::Find(Operation operation) const {
  const auto found = algorithms_.find(operation);
  return found == algorithms_.end() ? nullptr : &found->second;
}

std::shared_ptr<const CustomMessages> CustomLibrary::MessagesOf(Operation operation,
                                                                std::uint32_t rounds) const {
  const CustomAlgorithm* const algorithm = Find(operation);
  HEDDLE_EXPECT(algorithm != nullptr);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const CustomMessages>& messages = messages_[{operation, rounds}];
  if (messages == nullptr) messages = std::make_shared<const CustomMessages>(*algorithm, rounds);
  return messages;
}

}  // namespace heddle
