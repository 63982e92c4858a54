// SPDX-License-Identifier: GPL-2.0-only
/// Which HDF5 library the program runs with; only io knows HDF5.
#ifndef HEDDLE_IO_HDF5_VERSION_H_
#define HEDDLE_IO_HDF5_VERSION_H_

#include <string>

namespace heddle {

/// "1.10.8 (parallel)" or "1.10.8 (serial)": the library's release, and whether it can write one
/// file from many ranks.
std::string Hdf5Version();

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_VERSION_H_
