// SPDX-License-Identifier: GPL-2.0-only
/// Edits a result file through HDF5: the file stays valid HDF5, but with other objects, shapes,
/// types and values than heddle writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// One edit, from four bytes of an input: its kind, its place (an index over the datasets of the
/// file) and its parameter.
struct Hdf5Edit {
  std::uint8_t action = 0, place_high = 0, place_low = 0, parameter = 0;
};

/// Applies up to `most` edits, decoded from `bytes`, and seals the file again. Edits that HDF5
/// rejects are skipped. The file can be opened afterwards.
void EditHdf5(const std::string& path, std::string_view bytes, std::size_t most);

}  // namespace heddle
