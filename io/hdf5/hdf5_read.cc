// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/hdf5_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "io/hdf5/hdf5_types.h"

namespace heddle {
namespace {

/// Text of a fixed length. Variable length is refused: libhdf5 crashes on damaged global heaps.
bool IsText(hid_t type) {
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
}

/// The type in memory for texts of type `type`: HDF5 does not convert between ASCII and UTF-8.
Hdf5Type TextTypeLike(const Hdf5Check& check, hid_t type) {
  Hdf5Type made = MakeTextType(check, H5Tget_size(type));
  check(H5Tset_cset(made.get(), check(H5Tget_cset(type), "read a text type")), "read a text type");
  return made;
}

/// The texts of `count` values of `bytes` bytes each.
std::vector<std::string> SplitTexts(const std::vector<char>& values, std::size_t count,
                                    std::size_t bytes) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.emplace_back(values.data() + i * bytes, strnlen(values.data() + i * bytes, bytes));
  return texts;
}

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

/// A dataset and the selected rows.
struct Selection {
  Hdf5Dataset dataset;
  Hdf5Type type;
  Hdf5Space file, memory;
  hsize_t rows = 0;
};

void Select(const Hdf5Check& check, hsize_t first, hsize_t rows, const std::string& name,
            Selection* selection) {
  const std::string action = "read dataset " + name;
  selection->rows = rows;
  if (rows == 0) return;
  check(H5Sselect_hyperslab(selection->file.get(), H5S_SELECT_SET, &first, nullptr, &rows, nullptr),
        action);
  selection->memory = Hdf5Space(check(H5Screate_simple(1, &rows, nullptr), action));
}

void Read(const Hdf5Check& check, const Selection& from, hid_t type, const std::string& name,
          void* values) {
  check(H5Dread(from.dataset.get(), type, from.memory.get(), from.file.get(), H5P_DEFAULT, values),
        "read dataset " + name);
}

template <class T>
std::vector<T> ReadValues(const Hdf5Check& check, const Selection& from, const std::string& name) {
  std::vector<T> values(from.rows);
  if (from.rows > 0) Read(check, from, NativeType(T{}), name, values.data());
  return values;
}

std::vector<std::string> ReadTexts(const Hdf5Check& check, const Selection& from,
                                   const std::string& name) {
  if (from.rows == 0) return {};
  const std::size_t bytes = H5Tget_size(from.type.get());
  std::vector<char> values(from.rows * bytes);
  Read(check, from, TextTypeLike(check, from.type.get()).get(), name, values.data());
  return SplitTexts(values, from.rows, bytes);
}

/// Reads into the column type that is exactly the file's type.
ColumnData ReadData(const Hdf5Check& check, const Selection& from, const std::string& name) {
  const hid_t type = from.type.get();
  const std::size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (IsText(type)) return ReadTexts(check, from, name);
  if (kind == H5T_FLOAT && size == 8) return ReadValues<double>(check, from, name);
  if (kind == H5T_INTEGER) {
    const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
    if (has_sign && size == 8) return ReadValues<std::int64_t>(check, from, name);
    if (!has_sign && size == 4) return ReadValues<std::uint32_t>(check, from, name);
    if (!has_sign && size == 2) return ReadValues<std::uint16_t>(check, from, name);
    if (!has_sign && size == 1) return ReadValues<std::uint8_t>(check, from, name);
  }
  FailInput({check.path(), 0},
            fmt::format("dataset {} has a type that heddle does not write", name),
            "i64, u32, u16, u8, f64 or text of fixed length");
}

/// Throws for a dataset whose values are in other files.
void CheckStorage(const Hdf5Check& check, const Hdf5Dataset& dataset, const std::string& name) {
  const std::string action = "read dataset " + name;
  const Hdf5Properties creation(check(H5Dget_create_plist(dataset.get()), action));
  if (check(H5Pget_external_count(creation.get()), action) == 0 &&
      H5Pget_layout(creation.get()) != H5D_VIRTUAL)
    return;
  FailInput({check.path(), 0}, fmt::format("dataset {} has its values in other files", name),
            "values in the result itself");
}

/// Opens dataset `name` and selects all rows. Throws if the dataset cannot be a column.
Selection OpenColumn(const Hdf5Check& check, hid_t group, const std::string& name) {
  const std::string action = "read dataset " + name;
  Selection open;
  open.dataset = Hdf5Dataset(check(H5Dopen2(group, name.c_str(), H5P_DEFAULT), action));
  CheckStorage(check, open.dataset, name);
  open.type = Hdf5Type(check(H5Dget_type(open.dataset.get()), action));
  open.file = Hdf5Space(check(H5Dget_space(open.dataset.get()), action));
  if (check(H5Sget_simple_extent_ndims(open.file.get()), action) != 1) {
    FailInput({check.path(), 0}, fmt::format("dataset {} has not one dimension", name),
              "one value a row");
  }
  check(H5Sget_simple_extent_dims(open.file.get(), &open.rows, nullptr), action);
  return open;
}

/// Throws if `rows` rows have more bytes than fit into the file, before memory is asked for.
void CheckSize(const Hdf5Check& check, const Selection& column, hsize_t rows,
               const std::string& name, std::uint64_t max_bytes) {
  const std::size_t bytes = std::max<std::size_t>(H5Tget_size(column.type.get()), 1);
  if (rows <= max_bytes / bytes) return;
  FailInput({check.path(), 0},
            fmt::format("dataset {} claims {} rows, more than fit into the file", name, rows),
            "a whole result file of heddle");
}

Column ReadSelection(const Hdf5Check& check, const Selection& from, const std::string& name) {
  Column column;
  column.name = name;
  column.unit = ReadTextAttribute(check, from.dataset.get(), "unit");
  column.description = ReadTextAttribute(check, from.dataset.get(), "description");
  column.data = ReadData(check, from, name);
  return column;
}

/// Longest text of an attribute [byte], against damaged sizes.
constexpr std::size_t kMostText = std::size_t{64} << 20;

extern "C" herr_t KeepTable(hid_t, const char* name, const H5O_info_t* info, void* names) {
  const std::string path(name);
  if (info->type != H5O_TYPE_DATASET || path.find('/') == std::string::npos) return 0;
  static_cast<std::vector<std::string>*>(names)->push_back(path.substr(0, path.rfind('/')));
  return 0;
}

extern "C" herr_t KeepObject(hid_t, const char* name, const H5O_info_t* info, void* objects) {
  if (std::string(name) == ".") return 0;  // the root
  static_cast<std::vector<Hdf5Object>*>(objects)->push_back({name, info->type == H5O_TYPE_GROUP});
  return 0;
}

extern "C" herr_t KeepLink(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// Every object of a result has one name, which is a hard link.
extern "C" herr_t StopAtLink(hid_t, const char* name, const H5L_info_t* info, void* found) {
  if (info->type == H5L_TYPE_HARD) return 0;
  *static_cast<std::string*>(found) = name;
  return 1;
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
    const std::size_t bytes = H5Tget_size(open.type.get());
    if (bytes > kMostText) return {};
    std::vector<char> value(bytes);
    const Hdf5Type type = TextTypeLike(check, open.type.get());
    check(H5Aread(open.attribute.get(), type.get(), value.data()), action);
    return Attribute{name, SplitTexts(value, 1, bytes).front()};
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

std::string FindLink(const Hdf5Check& check, hid_t file) {
  std::string name;
  check(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, &StopAtLink, &name), "list the links");
  return name;
}

std::vector<Hdf5Object> ListObjects(const Hdf5Check& check, hid_t file) {
  std::vector<Hdf5Object> objects;
  check(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, &KeepObject, &objects, H5O_INFO_BASIC),
        "list the groups");
  std::sort(objects.begin(), objects.end(),
            [](const Hdf5Object& a, const Hdf5Object& b) { return a.name < b.name; });
  return objects;
}

std::vector<std::string> ListTables(const Hdf5Check& check, hid_t file) {
  std::vector<std::string> names;
  check(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, &KeepTable, &names, H5O_INFO_BASIC),
        "list the tables");
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> ListColumns(const Hdf5Check& check, hid_t group,
                                     const std::string& table) {
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &position, &KeepLink, &names),
        "list the columns of table " + table);
  return names;
}

std::uint64_t CountRows(const Hdf5Check& check, hid_t group, const std::string& name) {
  return OpenColumn(check, group, name).rows;
}

Column ReadColumn(const Hdf5Check& check, hid_t group, const std::string& name,
                  std::uint64_t max_bytes) {
  Selection open = OpenColumn(check, group, name);
  CheckSize(check, open, open.rows, name, max_bytes);
  Select(check, 0, open.rows, name, &open);
  return ReadSelection(check, open, name);
}

Column ReadRows(const Hdf5Check& check, hid_t group, const std::string& name, std::uint64_t first,
                std::uint64_t rows, std::uint64_t max_bytes) {
  Selection open = OpenColumn(check, group, name);
  HEDDLE_EXPECT(first + rows <= open.rows);
  CheckSize(check, open, rows, name, max_bytes);
  Select(check, first, rows, name, &open);
  return ReadSelection(check, open, name);
}

}  // namespace heddle
