// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"
#include "io/hdf5_types.h"

namespace heddle {
namespace {

bool IsText(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0; }

/// Texts that HDF5 allocated, given back to it whatever happens.
class Texts {
 public:
  Texts(hsize_t count, hid_t type, hid_t space) : pointers_(count), type_(type), space_(space) {}
  ~Texts() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, pointers_.data()); }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  char** data() { return pointers_.data(); }
  std::vector<std::string> Copy() const {
    std::vector<std::string> texts;
    texts.reserve(pointers_.size());
    for (const char* pointer : pointers_) texts.emplace_back(pointer == nullptr ? "" : pointer);
    return texts;
  }

 private:
  std::vector<char*> pointers_;
  hid_t type_, space_;
};

struct OpenAttribute {
  Hdf5Attribute attribute;
  Hdf5Type type;
  Hdf5Space space;
  hssize_t count = 0;
};

OpenAttribute Open(const Hdf5Check& check, hid_t object, const std::string& name) {
  const std::string action = "read attribute " + name;
  OpenAttribute open;
  open.attribute = Hdf5Attribute(check(H5Aopen(object, name.c_str(), H5P_DEFAULT), action));
  open.type = Hdf5Type(check(H5Aget_type(open.attribute.get()), action));
  open.space = Hdf5Space(check(H5Aget_space(open.attribute.get()), action));
  open.count = check(H5Sget_simple_extent_npoints(open.space.get()), action);
  return open;
}

template <class T>
std::vector<T> ReadValues(const Hdf5Check& check, const Hdf5Dataset& dataset, hsize_t rows,
                          const std::string& name) {
  std::vector<T> values(rows);
  if (rows > 0) {
    check(H5Dread(dataset.get(), NativeType(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "read dataset " + name);
  }
  return values;
}

std::vector<std::string> ReadTexts(const Hdf5Check& check, const Hdf5Dataset& dataset,
                                   const Hdf5Space& space, hsize_t rows, const std::string& name) {
  if (rows == 0) return {};
  const Hdf5Type type = MakeTextType(check);
  Texts texts(rows, type.get(), space.get());
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()),
        "read dataset " + name);
  return texts.Copy();
}

/// The column type that holds the file's type exactly.
ColumnData ReadData(const Hdf5Check& check, const Hdf5Dataset& dataset, const Hdf5Space& space,
                    hsize_t rows, const std::string& name) {
  const Hdf5Type type(check(H5Dget_type(dataset.get()), "read the type of dataset " + name));
  const std::size_t size = H5Tget_size(type.get());
  const H5T_class_t kind = H5Tget_class(type.get());
  if (IsText(type.get())) return ReadTexts(check, dataset, space, rows, name);
  if (kind == H5T_FLOAT && size == 8) return ReadValues<double>(check, dataset, rows, name);
  if (kind == H5T_INTEGER) {
    const bool has_sign = H5Tget_sign(type.get()) == H5T_SGN_2;
    if (has_sign && size == 8) return ReadValues<std::int64_t>(check, dataset, rows, name);
    if (!has_sign && size == 4) return ReadValues<std::uint32_t>(check, dataset, rows, name);
    if (!has_sign && size == 2) return ReadValues<std::uint16_t>(check, dataset, rows, name);
    if (!has_sign && size == 1) return ReadValues<std::uint8_t>(check, dataset, rows, name);
  }
  FailInput({check.path(), 0},
            fmt::format("dataset {} has a type that heddle does not write", name),
            "i64, u32, u16, u8, f64 or text of variable length");
}

extern "C" herr_t KeepName(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

std::optional<Attribute> ReadAttribute(const Hdf5Check& check, hid_t object,
                                       const std::string& name) {
  const std::string action = "read attribute " + name;
  const OpenAttribute open = Open(check, object, name);
  if (open.count != 1 || H5Sget_simple_extent_type(open.space.get()) != H5S_SCALAR) return {};
  if (IsText(open.type.get())) {
    const Hdf5Type type = MakeTextType(check);
    Texts texts(1, type.get(), open.space.get());
    check(H5Aread(open.attribute.get(), type.get(), texts.data()), action);
    return Attribute{name, texts.Copy().front()};
  }
  if (H5Tget_class(open.type.get()) == H5T_INTEGER) {
    std::int64_t value = 0;
    check(H5Aread(open.attribute.get(), NativeType(value), &value), action);
    return Attribute{name, value};
  }
  if (H5Tget_class(open.type.get()) == H5T_FLOAT) {
    double value = 0;
    check(H5Aread(open.attribute.get(), NativeType(value), &value), action);
    return Attribute{name, value};
  }
  return {};
}

std::string ReadTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name) {
  if (check(H5Aexists(object, name.c_str()), "read attribute " + name) == 0) return {};
  const std::optional<Attribute> attribute = ReadAttribute(check, object, name);
  const auto* text = attribute ? std::get_if<std::string>(&attribute->value) : nullptr;
  return text == nullptr ? std::string() : *text;
}

std::vector<int> ReadIntegers(const Hdf5Check& check, hid_t object, const std::string& name) {
  constexpr hssize_t kMost = 16;
  const std::string action = "read attribute " + name;
  if (check(H5Aexists(object, name.c_str()), action) == 0) return {};
  const OpenAttribute open = Open(check, object, name);
  if (H5Tget_class(open.type.get()) != H5T_INTEGER || open.count > kMost) return {};
  std::vector<int> values(static_cast<std::size_t>(open.count));
  check(H5Aread(open.attribute.get(), H5T_NATIVE_INT, values.data()), action);
  return values;
}

std::vector<std::string> AttributeNames(const Hdf5Check& check, hid_t object) {
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, &KeepName, &names),
        "list the attributes");
  std::sort(names.begin(), names.end());
  return names;
}

Column ReadColumn(const Hdf5Check& check, hid_t group, const std::string& name,
                  std::uint64_t max_rows) {
  const std::string action = "read dataset " + name;
  const Hdf5Dataset dataset(check(H5Dopen2(group, name.c_str(), H5P_DEFAULT), action));
  const Hdf5Space space(check(H5Dget_space(dataset.get()), action));
  if (check(H5Sget_simple_extent_ndims(space.get()), action) != 1) {
    FailInput({check.path(), 0}, fmt::format("dataset {} has not one dimension", name),
              "one value a row");
  }
  hsize_t rows = 0;
  check(H5Sget_simple_extent_dims(space.get(), &rows, nullptr), action);
  if (rows > max_rows) {
    FailInput({check.path(), 0},
              fmt::format("dataset {} claims {} rows, more than fit into the file", name, rows),
              "a whole result file of heddle");
  }
  Column column;
  column.name = name;
  column.unit = ReadTextAttribute(check, dataset.get(), "unit");
  column.description = ReadTextAttribute(check, dataset.get(), "description");
  column.data = ReadData(check, dataset, space, rows, name);
  return column;
}

}  // namespace heddle
