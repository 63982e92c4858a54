// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5_write.h"

#include <algorithm>
#include <string_view>

#include "core/check.h"
#include "io/hdf5_types.h"
#include "io/result_format.h"

namespace heddle {
namespace {

/// Makes attribute `name` and writes `data` to it.
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

/// Chunked and compressed, unless there is nothing to store.
Hdf5Properties DatasetLayout(const Hdf5Check& check, hsize_t rows) {
  Hdf5Properties layout(check(H5Pcreate(H5P_DATASET_CREATE), "describe a dataset"));
  check(H5Pset_obj_track_times(layout.get(), false), "describe a dataset");
  if (rows == 0) return layout;
  const hsize_t chunk = std::min<hsize_t>(rows, kResultChunkRows);
  check(H5Pset_chunk(layout.get(), 1, &chunk), "set the chunk size");
  check(H5Pset_shuffle(layout.get()), "set the shuffle filter");
  check(H5Pset_deflate(layout.get(), kResultDeflateLevel), "set the compression");
  return layout;
}

/// A dataset of `rows` values; `data` is not read if there is none.
Hdf5Dataset PutDataset(const Hdf5Check& check, hid_t group, const std::string& name, hid_t type,
                       hsize_t rows, const void* data) {
  const std::string action = "write dataset " + name;
  const Hdf5Space space(check(H5Screate_simple(1, &rows, nullptr), action));
  const Hdf5Properties layout = DatasetLayout(check, rows);
  Hdf5Dataset dataset(check(
      H5Dcreate2(group, name.c_str(), type, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
      action));
  if (rows > 0) {
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), action);
  }
  return dataset;
}

template <class T>
Hdf5Dataset PutValues(const Hdf5Check& check, hid_t group, const std::string& name,
                      const std::vector<T>& values) {
  return PutDataset(check, group, name, NativeType(T{}), values.size(), values.data());
}

Hdf5Dataset PutValues(const Hdf5Check& check, hid_t group, const std::string& name,
                      const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  texts.reserve(values.size());
  for (const std::string& value : values) texts.push_back(AsCText(value));
  return PutDataset(check, group, name, MakeTextType(check).get(), texts.size(), texts.data());
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

void WriteColumn(const Hdf5Check& check, hid_t group, const Column& column) {
  const Hdf5Dataset dataset =
      std::visit([&](const auto& values) { return PutValues(check, group, column.name, values); },
                 column.data);
  WriteTextAttribute(check, dataset.get(), "unit", column.unit);
  WriteTextAttribute(check, dataset.get(), "description", column.description);
}

std::size_t RowCount(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.data);
}

}  // namespace heddle
