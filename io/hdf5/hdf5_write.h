// SPDX-License-Identifier: GPL-2.0-only
/// Writes single HDF5 objects: attributes, groups, columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/hdf5_handle.h"

namespace heddle {

/// Writes attribute `name` of `object`, replacing an existing one.
void WriteTextAttribute(const Hdf5Check& check, hid_t object, const std::string& name,
                        const std::string& text);
/// Writes a one-dimensional attribute; replaces an existing one.
void WriteIntegers(const Hdf5Check& check, hid_t object, const std::string& name,
                   const std::vector<int>& values);
/// Writes a scalar attribute with the type of its value; replaces an existing one.
void WriteAttribute(const Hdf5Check& check, hid_t object, const Attribute& attribute);

/// Creates a group that records the order of its members; creates missing parent groups.
Hdf5Group MakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);
/// Creates likewise, or opens an existing group; parents of `name` exist.
Hdf5Group OpenOrMakeGroup(const Hdf5Check& check, hid_t parent, const std::string& name);

/// How the values of a column lie in the file.
struct ColumnLayout {
  std::uint64_t rows = 0, chunk_rows = 0;
  std::size_t element_bytes = 0;  ///< of a text: bytes of the longest, at least 1
  bool text = false;              ///< deflated without shuffling, as neighbouring texts are alike
};
/// `text_bytes`: of the longest text, if the column is text. Chunks of texts have at most 4 MiB.
ColumnLayout LayOut(const Column& column, std::uint64_t rows, std::size_t text_bytes);

/// Creates a one-dimensional dataset with the type, unit and description of `column`, but without
/// its values, which are written chunk by chunk (H5Dwrite_chunk).
Hdf5Dataset MakeColumn(const Hdf5Check& check, hid_t group, const Column& column,
                       const ColumnLayout& layout);

}  // namespace heddle
