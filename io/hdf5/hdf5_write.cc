// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/hdf5_write.h"

#include <algorithm>
#include <type_traits>

#include "core/base/check.h"
#include "io/hdf5/hdf5_types.h"
#include "io/table/result_format.h"

namespace heddle {
namespace {

/// Creates attribute `name` and writes `data` to it.
void PutAttribute(const Hdf5Check& check, hid_t object, const std::string& name, hid_t type,
                  const Hdf5Space& space, const void* data) {
  const std::string action = "write attribute " + name;
  if (check(H5Aexists(object, name.c_str()), action) > 0) {
    check(H5Adelete(object, name.c_str()), action);
  }
  Hdf5Attribute attribute(
      check(H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), action));
  check(H5Awrite(attribute.get(), type, data), action);
}

Hdf5Space Scalar(const Hdf5Check& check) {
  return Hdf5Space(check(H5Screate(H5S_SCALAR), "make a scalar"));
}

/// The type of the values of `data`; texts have `bytes` bytes.
Hdf5Type TypeOf(const Hdf5Check& check, const ColumnData& data, std::size_t bytes) {
  if (std::holds_alternative<std::vector<std::string>>(data)) return MakeTextType(check, bytes);
  const auto native = [](const auto& values) -> hid_t {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    if constexpr (std::is_same_v<Value, std::string>)
      return -1;
    else
      return NativeType(Value{});
  };
  return Hdf5Type(check(H5Tcopy(std::visit(native, data)), "make a number type"));
}

/// The filters of a column with rows.
void SetFilters(const Hdf5Check& check, const ColumnLayout& column, const Hdf5Properties& layout) {
  const hsize_t chunk = column.chunk_rows;
  check(H5Pset_chunk(layout.get(), 1, &chunk), "set the chunk size");
  if (!column.text) check(H5Pset_shuffle(layout.get()), "set the shuffle filter");
  check(H5Pset_deflate(layout.get(), kResultDeflateLevel), "set the compression");
}

/// Makes the group `path` of `parent` unless it exists.
void OpenOrMakePath(const Hdf5Check& check, hid_t parent, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) OpenOrMakePath(check, parent, path.substr(0, slash));
  OpenOrMakeGroup(check, parent, path);
}

}  // namespace

void WriteTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name,
                        const std::string& text) {
  HEDDLE_INVARIANT(text.find('\0') == std::string::npos, "a text of a result contains a zero byte");
  const Hdf5Type type = MakeTextType(check, text.size());
  PutAttribute(check, object, name, type.get(), Scalar(check), text.c_str());
}

void WriteIntegers(const Hdf5Check& check, hid_t object, const std::string& name,
                   const std::vector<int>& values) {
  const hsize_t count = values.size();
  const Hdf5Space space(check(H5Screate_simple(1, &count, nullptr), "write attribute " + name));
  PutAttribute(check, object, name, H5T_NATIVE_INT, space, values.data());
}

void WriteAttribute(const Hdf5Check& check, hid_t object, const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    WriteTextAttribute(check, object, attribute.name, *text);
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    PutAttribute(check, object, attribute.name, NativeType(*integer), Scalar(check), integer);
  } else {
    const double number = std::get<double>(attribute.value);
    PutAttribute(check, object, attribute.name, NativeType(number), Scalar(check), &number);
  }
}

Hdf5Group MakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name) {
  const std::string action = "make group " + name;
  // HDF5 itself would make missing parents with time stamps.
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos && slash > 0) OpenOrMakePath(check, parent, name.substr(0, slash));
  const Hdf5Properties order(check(H5Pcreate(H5P_GROUP_CREATE), action));
  check(H5Pset_link_creation_order(order.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        action);
  check(H5Pset_obj_track_times(order.get(), false), action);
  // Up to this number of members a group needs no index of its own, which takes kilobytes.
  constexpr unsigned kMostMembers = 64;
  check(H5Pset_link_phase_change(order.get(), kMostMembers, 0), action);
  return Hdf5Group(
      check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, order.get(), H5P_DEFAULT), action));
}

Hdf5Group OpenOrMakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name) {
  const std::string action = "open group " + name;
  if (check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), action) == 0) {
    return MakeGroup(check, parent, name);
  }
  return Hdf5Group(check(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), action));
}

ColumnLayout LayOut(const Column& column, std::uint64_t rows, std::size_t text_bytes) {
  constexpr std::size_t kMostTextChunk = std::size_t{4} << 20;  // bytes
  ColumnLayout layout;
  layout.rows = rows;
  layout.text = std::holds_alternative<std::vector<std::string>>(column.data);
  layout.element_bytes = std::visit(
      [&](const auto& values) -> std::size_t {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        return std::is_arithmetic_v<Value> ? sizeof(Value) : std::max<std::size_t>(text_bytes, 1);
      },
      column.data);
  layout.chunk_rows = std::min<std::uint64_t>(rows, kResultChunkRows);
  if (layout.text) {
    const std::uint64_t most = std::max<std::uint64_t>(kMostTextChunk / layout.element_bytes, 1);
    layout.chunk_rows = std::min(layout.chunk_rows, most);
  }
  return layout;
}

Hdf5Dataset MakeColumn(const Hdf5Check& check, hid_t group, const Column& column,
                       const ColumnLayout& layout) {
  const std::string action = "make dataset " + column.name;
  const Hdf5Properties creation(check(H5Pcreate(H5P_DATASET_CREATE), "describe a dataset"));
  check(H5Pset_obj_track_times(creation.get(), false), "describe a dataset");
  if (layout.rows > 0) SetFilters(check, layout, creation);
  const hsize_t rows = layout.rows;
  const Hdf5Space space(check(H5Screate_simple(1, &rows, nullptr), action));
  const Hdf5Type type = TypeOf(check, column.data, layout.element_bytes);
  Hdf5Dataset dataset(check(H5Dcreate2(group, column.name.c_str(), type.get(), space.get(),
                                       H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                            action));
  WriteTextAttribute(check, dataset.get(), "unit", column.unit);
  WriteTextAttribute(check, dataset.get(), "description", column.description);
  return dataset;
}

}  // namespace heddle
