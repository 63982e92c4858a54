// SPDX-License-Identifier: GPL-2.0-only
/// Reads single HDF5 objects: attributes and columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/hdf5_handle.h"

namespace heddle {

/// Reads a scalar attribute as text, integer or floating-point number; none if it has another type.
std::optional<Attribute> ReadAttribute(const Hdf5Check& check, hid_t object,
                                       const std::string& name);
/// Reads a text attribute; empty if it is missing or not text.
std::string ReadTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name);
/// Reads an attribute of integers; empty if it is missing or no array of integers.
std::vector<int> ReadIntegers(const Hdf5Check& check, hid_t object, const std::string& name);

/// Returns the names of the attributes of `object`, sorted.
std::vector<std::string> AttributeNames(const Hdf5Check& check, hid_t object);

/// Returns the name of a soft, external or user-defined link, which could lead out of the file;
/// empty if there is none.
std::string FindLink(const Hdf5Check& check, hid_t file);

/// A group or a dataset, by its path without the first slash.
struct Hdf5Object {
  std::string name;
  bool is_group = false;
};
/// Returns all groups and datasets of a file except its root, sorted by name.
std::vector<Hdf5Object> ListObjects(const Hdf5Check& check, hid_t file);

/// Returns the names of all groups that contain datasets ("topology/links"), sorted.
std::vector<std::string> ListTables(const Hdf5Check& check, hid_t file);
/// Returns the names of the datasets of `group`, the group of `table`, in the order of creation.
std::vector<std::string> ListColumns(const Hdf5Check& check, hid_t group, const std::string& table);

/// Reads the dataset `name` of `group`. `max_bytes`: bytes of values that can be in a file of this
/// size, which bounds the allocation for a damaged file.
Column ReadColumn(const Hdf5Check& check, hid_t group, const std::string& name,
                  std::uint64_t max_bytes);
/// Returns the number of rows of a column.
std::uint64_t CountRows(const Hdf5Check& check, hid_t group, const std::string& name);
/// Reads `rows` rows of a column from row `first` on, which must exist. `max_bytes` as above.
Column ReadRows(const Hdf5Check& check, hid_t group, const std::string& name, std::uint64_t first,
                std::uint64_t rows, std::uint64_t max_bytes);

}  // namespace heddle
