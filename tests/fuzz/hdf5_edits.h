// SPDX-License-Identifier: GPL-2.0-only
/// Changes of a result file by HDF5's own hand: sound HDF5, but other objects, shapes, types and
/// values than heddle writes.
#ifndef HEDDLE_TESTS_FUZZ_HDF5_EDITS_H_
#define HEDDLE_TESTS_FUZZ_HDF5_EDITS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// One change, four bytes of an input: what, where (counted through the datasets of the file), and
/// with which parameter.
struct Hdf5Edit {
  std::uint8_t action = 0, place_high = 0, place_low = 0, parameter = 0;
};

/// Does up to `most` edits that `bytes` spell. What HDF5 refuses is left out. The file can be
/// opened afterwards.
void EditHdf5(const std::string& path, std::string_view bytes, std::size_t most);

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_HDF5_EDITS_H_
