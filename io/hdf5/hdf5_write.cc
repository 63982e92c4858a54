// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/hdf5_write.h"

#include <algorithm>
#include <type_traits>

#include "core/base/check.h"
#include "io/hdf5/hdf5_types.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"

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

const char* AsCText(const std::string& text) {
  HEDDLE_INVARIANT(text.find('\0') == std::string::npos, "a text of a result contains a zero byte");
  return text.c_str();
}

/// The type of the values of `data`.
Hdf5Type TypeOf(const Hdf5Check& check, const ColumnData& data) {
  if (std::holds_alternative<std::vector<std::string>>(data)) return MakeTextType(check);
  const auto native = [](const auto& values) -> hid_t {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    if constexpr (std::is_same_v<Value, std::string>)
      return -1;
    else
      return NativeType(Value{});
  };
  return Hdf5Type(check(H5Tcopy(std::visit(native, data)), "make a number type"));
}

/// Creates a dataset of `rows` values with the unit and the description of `column`.
Hdf5Dataset PutDataset(const Hdf5Check& check, hid_t group, const Column& column, hsize_t rows,
                       const Hdf5Properties& layout) {
  const std::string action = "make dataset " + column.name;
  const Hdf5Space space(check(H5Screate_simple(1, &rows, nullptr), action));
  const Hdf5Type type = TypeOf(check, column.data);
  Hdf5Dataset dataset(check(H5Dcreate2(group, column.name.c_str(), type.get(), space.get(),
                                       H5P_DEFAULT, layout.get(), H5P_DEFAULT),
                            action));
  WriteTextAttribute(check, dataset.get(), "unit", column.unit);
  WriteTextAttribute(check, dataset.get(), "description", column.description);
  return dataset;
}

/// Calls `action` with the values of `data` in the form that HDF5 expects.
template <class Action>
void WithPointer(const ColumnData& data, Action action) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&data)) {
    std::vector<const char*> pointers;
    pointers.reserve(texts->size());
    for (const std::string& text : *texts) pointers.push_back(AsCText(text));
    action(static_cast<const void*>(pointers.data()));
  } else {
    std::visit([&](const auto& values) { action(static_cast<const void*>(values.data())); }, data);
  }
}

}  // namespace

void WriteTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name,
                        const std::string& text) {
  const char* pointer = AsCText(text);
  PutAttribute(check, object, name, MakeTextType(check).get(), Scalar(check), &pointer);
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
  const Hdf5Properties links(check(H5Pcreate(H5P_LINK_CREATE), action));
  check(H5Pset_create_intermediate_group(links.get(), 1), action);
  const Hdf5Properties order(check(H5Pcreate(H5P_GROUP_CREATE), action));
  check(H5Pset_link_creation_order(order.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        action);
  check(H5Pset_obj_track_times(order.get(), false), action);
  return Hdf5Group(
      check(H5Gcreate2(parent, name.c_str(), links.get(), order.get(), H5P_DEFAULT), action));
}

Hdf5Group OpenOrMakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name) {
  const std::string action = "open group " + name;
  if (check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), action) == 0) {
    return MakeGroup(check, parent, name);
  }
  return Hdf5Group(check(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), action));
}

Hdf5Dataset MakeColumn(const Hdf5Check& check, hid_t group, const Column& column,
                       std::uint64_t rows) {
  const Hdf5Properties layout(check(H5Pcreate(H5P_DATASET_CREATE), "describe a dataset"));
  check(H5Pset_obj_track_times(layout.get(), false), "describe a dataset");
  if (rows > 0) {
    const hsize_t chunk = std::min<hsize_t>(rows, kResultChunkRows);
    check(H5Pset_chunk(layout.get(), 1, &chunk), "set the chunk size");
    check(H5Pset_shuffle(layout.get()), "set the shuffle filter");
    check(H5Pset_deflate(layout.get(), kResultDeflateLevel), "set the compression");
  }
  return PutDataset(check, group, column, rows, layout);
}

void WriteRows(const Hdf5Check& check, const Hdf5Dataset& dataset, const Column& column,
               std::uint64_t first) {
  const hsize_t rows = RowCount(column);
  if (rows == 0) return;
  const std::string action = "write dataset " + column.name;
  const hsize_t start = first;
  const Hdf5Space memory(check(H5Screate_simple(1, &rows, nullptr), action));
  const Hdf5Space file(check(H5Dget_space(dataset.get()), action));
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, &start, nullptr, &rows, nullptr), action);
  const Hdf5Type type = TypeOf(check, column.data);
  WithPointer(column.data, [&](const void* values) {
    check(H5Dwrite(dataset.get(), type.get(), memory.get(), file.get(), H5P_DEFAULT, values),
          action);
  });
}

}  // namespace heddle
