// SPDX-License-Identifier: GPL-2.0-only
/// Writes single HDF5 objects: attributes, groups, columns.
#ifndef HEDDLE_IO_HDF5_HDF5_WRITE_H_
#define HEDDLE_IO_HDF5_HDF5_WRITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/hdf5_handle.h"

namespace heddle {

/// Writes attribute `name` of `object`, replacing an existing one.
void WriteTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name,
                        const std::string& text);
void WriteIntegers(const Hdf5Check& check, hid_t object, const std::string& name,
                   const std::vector<int>& values);
void WriteAttribute(const Hdf5Check& check, hid_t object, const Attribute& attribute);

/// Creates a group that records the order of its members; creates missing parent groups.
Hdf5Group MakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);
/// The same, or opens an existing group. `name` is no path.
Hdf5Group OpenOrMakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);

/// Creates a one-dimensional dataset of `rows` values with the type, unit and description of
/// `column`, but without its values. WriteRows writes those, from row `first` on.
Hdf5Dataset MakeColumn(const Hdf5Check& check, hid_t group, const Column& column,
                       std::uint64_t rows);
void WriteRows(const Hdf5Check& check, const Hdf5Dataset& dataset, const Column& column,
               std::uint64_t first);

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_HDF5_WRITE_H_
