// SPDX-License-Identifier: GPL-2.0-only
/// Writing of single HDF5 objects: attributes, groups, columns.
#ifndef HEDDLE_IO_HDF5_HDF5_WRITE_H_
#define HEDDLE_IO_HDF5_HDF5_WRITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/hdf5_handle.h"

namespace heddle {

/// Attribute `name` of `object`, replaced if it exists.
void WriteTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name,
                        const std::string& text);
void WriteIntegers(const Hdf5Check& check, hid_t object, const std::string& name,
                   const std::vector<int>& values);
void WriteAttribute(const Hdf5Check& check, hid_t object, const Attribute& attribute);

/// A group that remembers the order of its members; groups on the way to it are made.
Hdf5Group MakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);
/// The same, unless it is there already. `name` is no path.
Hdf5Group OpenOrMakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);

/// A one-dimensional dataset of `rows` values, with the type, unit and description of `column` but
/// none of its values, which WriteRows puts in: those of `column` from row `first` on.
Hdf5Dataset MakeColumn(const Hdf5Check& check, hid_t group, const Column& column,
                       std::uint64_t rows);
void WriteRows(const Hdf5Check& check, const Hdf5Dataset& dataset, const Column& column,
               std::uint64_t first);

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_HDF5_WRITE_H_
