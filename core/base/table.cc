// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/table.h"

#include <xxhash.h>

#include <memory>
#include <new>

namespace heddle {
namespace {

/// Streaming XXH3 over length-prefixed pieces, so that no two sequences of pieces have the same
/// bytes.
class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), &XXH3_freeState) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }

  void AddNumber(std::uint64_t n) { XXH3_64bits_update(state_.get(), &n, sizeof n); }
  void AddText(const std::string& text) {
    AddNumber(text.size());
    XXH3_64bits_update(state_.get(), text.data(), text.size());
  }
  template <class T>
  void AddValues(const std::vector<T>& values) {
    AddNumber(values.size());
    if (!values.empty()) XXH3_64bits_update(state_.get(), values.data(), values.size() * sizeof(T));
  }
  void AddValues(const std::vector<std::string>& values) {
    AddNumber(values.size());
    for (const std::string& value : values) AddText(value);
  }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace

std::uint64_t Digest(const Table& table) {
  Hasher hasher;
  hasher.AddText(table.name);
  hasher.AddNumber(table.columns.size());
  for (const Column& column : table.columns) {
    hasher.AddText(column.name);
    hasher.AddNumber(column.data.index());
    std::visit([&](const auto& values) { hasher.AddValues(values); }, column.data);
  }
  return hasher.digest();
}

}  // namespace heddle
