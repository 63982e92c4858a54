// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/row_log_format.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "core/base/check.h"

namespace heddle {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

/// Names of the types, in the order of ColumnData.
constexpr const char* kTypes[] = {"i64", "u32", "u16", "u8", "f64", "text"};
static_assert(std::variant_size_v<ColumnData> == std::size(kTypes));

template <std::size_t... kIndex>
bool MakeData(const std::string& type, ColumnData* data, std::index_sequence<kIndex...>) {
  return ((type == kTypes[kIndex] && (data->emplace<kIndex>(), true)) || ...);
}

bool IsInteger(const ColumnData& data) {
  return std::visit(
      [](const auto& values) {
        return std::is_integral_v<typename std::decay_t<decltype(values)>::value_type>;
      },
      data);
}

/// Whether HDF5 accepts the text as a link's name; a table's name may contain groups.
bool IsName(const std::string& name, bool table) {
  if (name.empty() || name.front() == '/' || name.back() == '/' || name.size() > 200) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == ' ' || (table && c == '/');
  });
}

/// The text under `key`; false if it is missing or has a zero byte.
bool GetText(const Json& object, const char* key, std::string* text) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return false;
  *text = found->get<std::string>();
  return text->find('\0') == std::string::npos;
}

bool DecodeColumn(const Json& json, Column* column) {
  std::string type;
  return json.is_object() && GetText(json, "name", &column->name) &&
         GetText(json, "unit", &column->unit) &&
         GetText(json, "description", &column->description) && GetText(json, "type", &type) &&
         MakeData(type, &column->data, std::make_index_sequence<std::size(kTypes)>());
}

std::string DecodeKeys(const Json& keys, LoggedTable* table) {
  for (const Json& key : keys) {
    if (!key.is_string()) return "a key that is no text";
    table->keys.push_back(key.get<std::string>());
    const auto& columns = table->header.columns;
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& c) { return c.name == table->keys.back(); });
    if (column == columns.end() || !IsInteger(column->data))
      return "a key that is no integer column";
  }
  return "";
}

/// Reads values from a payload, never beyond its end.
class Taker {
 public:
  Taker(const char* data, std::size_t bytes) : at_(data), left_(bytes) {}

  template <class T>
  bool Take(std::size_t count, std::vector<T>* values) {
    if constexpr (std::is_integral_v<T>) {
      std::uint8_t width = 0;
      if (!TakeBytes(&width, 1) || width > sizeof(T)) return false;
      switch (width) {
        case 1:
          return TakeAs<std::uint8_t>(count, values);
        case 2:
          return TakeAs<std::uint16_t>(count, values);
        case 4:
          return TakeAs<std::uint32_t>(count, values);
        case 8:
          return TakeAs<std::uint64_t>(count, values);
      }
      return false;
    } else {
      return TakeAs<T>(count, values);
    }
  }
  bool Take(std::size_t count, Texts* texts) {
    std::vector<std::uint32_t> lengths;
    if (!TakeAs<std::uint32_t>(count, &lengths)) return false;
    texts->reserve(count);
    for (const std::uint32_t length : lengths) {
      if (length > left_ || std::memchr(at_, 0, length) != nullptr) return false;
      texts->emplace_back(at_, length);
      Skip(length);
    }
    return true;
  }
  bool at_end() const { return left_ == 0; }

 private:
  bool TakeBytes(void* to, std::size_t bytes) {
    if (bytes > left_) return false;
    if (bytes > 0) std::memcpy(to, at_, bytes);
    Skip(bytes);
    return true;
  }
  /// Values that are stored as the type `Stored`.
  template <class Stored, class T>
  bool TakeAs(std::size_t count, std::vector<T>* values) {
    if (count > left_ / sizeof(Stored)) return false;
    values->resize(count);
    if constexpr (sizeof(Stored) == sizeof(T)) return TakeBytes(values->data(), count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      Stored value;
      std::memcpy(&value, at_ + i * sizeof value, sizeof value);
      (*values)[i] = static_cast<T>(value);
    }
    Skip(count * sizeof(Stored));
    return true;
  }
  void Skip(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }
  const char* at_;
  std::size_t left_;
};

void PutBytes(const void* data, std::size_t bytes, std::vector<char>* payload) {
  const char* from = static_cast<const char*>(data);
  payload->insert(payload->end(), from, from + bytes);
}

/// Appends the values as the type `Stored`, which holds them all.
template <class Stored, class T>
void PutAs(const T* values, std::size_t count, std::vector<char>* payload) {
  payload->push_back(static_cast<char>(sizeof(Stored)));
  const std::size_t before = payload->size();
  payload->resize(before + count * sizeof(Stored));
  char* to = payload->data() + before;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Stored>(values[i]);
    std::memcpy(to + i * sizeof value, &value, sizeof value);
  }
}

template <class T>
void PutValues(const T* values, std::size_t count, std::vector<char>* payload) {
  if constexpr (std::is_integral_v<T>) {
    std::make_unsigned_t<T> set = 0;  // in any value; the highest bits if one is negative
    for (std::size_t i = 0; i < count; ++i)
      set = static_cast<std::make_unsigned_t<T>>(set | values[i]);
    const std::uint64_t bits = set;
    if (bits <= 0xff) return PutAs<std::uint8_t>(values, count, payload);
    if (bits <= 0xffff) return PutAs<std::uint16_t>(values, count, payload);
    if (bits <= 0xffffffff) return PutAs<std::uint32_t>(values, count, payload);
    PutAs<std::uint64_t>(values, count, payload);
  } else {
    PutBytes(values, count * sizeof(T), payload);
  }
}

void PutValues(const std::string* texts, std::size_t count, std::vector<char>* payload) {
  for (std::size_t i = 0; i < count; ++i) {
    HEDDLE_INVARIANT(texts[i].size() <= std::numeric_limits<std::uint32_t>::max(),
                     "a text of a table is longer than 4 GiB");
    const auto length = static_cast<std::uint32_t>(texts[i].size());
    PutBytes(&length, sizeof length, payload);
  }
  for (std::size_t i = 0; i < count; ++i) PutBytes(texts[i].data(), texts[i].size(), payload);
}

}  // namespace

std::uint64_t Checksum(const BlockHeader& header, const void* payload) {
  const std::uint64_t seed = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
  return XXH3_64bits_withSeed(payload, header.bytes, seed);
}

std::string EncodeTable(const LoggedTable& table) {
  Json columns = Json::array();
  for (const Column& column : table.header.columns) {
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"description", column.description},
                       {"type", kTypes[column.data.index()]}});
  }
  const Json json = {{"name", table.header.name},
                     {"description", table.header.description},
                     {"keys", table.keys},
                     {"columns", std::move(columns)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DecodeTable(const std::string& text, LoggedTable* table) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return "no JSON object";
  if (!GetText(json, "name", &table->header.name) || !IsName(table->header.name, true)) {
    return "no name that a table can have";
  }
  if (!GetText(json, "description", &table->header.description)) return "no description";
  const auto columns = json.find("columns");
  const auto keys = json.find("keys");
  if (columns == json.end() || !columns->is_array() || columns->empty()) return "no columns";
  if (keys == json.end() || !keys->is_array()) return "no keys";
  std::set<std::string> names;
  for (const Json& entry : *columns) {
    Column column;
    if (!DecodeColumn(entry, &column)) return "a column that is not described";
    if (!IsName(column.name, false) || !names.insert(column.name).second) {
      return "a column without a name of its own";
    }
    table->header.columns.push_back(std::move(column));
  }
  return DecodeKeys(*keys, table);
}

void EncodeRows(const Table& rows, std::size_t first, std::size_t count,
                std::vector<char>* payload) {
  for (const Column& column : rows.columns) {
    std::visit([&](const auto& values) { PutValues(values.data() + first, count, payload); },
               column.data);
  }
}

bool DecodeRows(const char* payload, std::size_t bytes, std::size_t count, const Table& header,
                Table* rows) {
  Taker taker(payload, bytes);
  rows->name = header.name;
  rows->description = header.description;
  rows->columns.clear();
  for (const Column& column : header.columns) {
    Column filled{column.name, column.unit, column.description, {}};
    const bool whole = std::visit(
        [&](const auto& none) {
          return taker.Take(count, &filled.data.emplace<std::decay_t<decltype(none)>>());
        },
        column.data);
    if (!whole) return false;
    rows->columns.push_back(std::move(filled));
  }
  return taker.at_end();
}

}  // namespace heddle
