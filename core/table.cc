// SPDX-License-Identifier: GPL-2.0-only
#include "core/table.h"

#include <xxhash.h>

#include <memory>
#include <new>

namespace heddle {
/// Streaming XXH3 over length-prefixed pieces, so that no two sequences of pieces have the same bytes.
class TableDigest::Hasher {
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
    if (!values.empty()) XXH3_64bits_update(state_.get(), values.data(), values.size() * sizeof(T));
  }
  void AddValues(const std::vector<std::string>& values) {
    for (const std::string& value : values) AddText(value);
  }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

TableDigest::TableDigest(const std::string& table, std::size_t columns) : hasher_(std::make_unique<Hasher>()) {
  hasher_->AddText(table);
  hasher_->AddNumber(columns);
}

TableDigest::~TableDigest() = default;

void TableDigest::BeginColumn(const std::string& name, const ColumnData& data, std::uint64_t rows) {
  hasher_->AddText(name);
  hasher_->AddNumber(data.index());
  hasher_->AddNumber(rows);
}

void TableDigest::AddRows(const ColumnData& data) {
  std::visit([this](const auto& values) { hasher_->AddValues(values); }, data);
}

std::uint64_t TableDigest::value() const { return hasher_->digest(); }

std::uint64_t Digest(const Table& table) {
  TableDigest digest(table.name, table.columns.size());
  for (const Column& column : table.columns) {
    const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, column.data);
    digest.BeginColumn(column.name, column.data, rows);
    digest.AddRows(column.data);
  }
  return digest.value();
}

}  // namespace heddle
