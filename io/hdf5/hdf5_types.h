// SPDX-License-Identifier: GPL-2.0-only
/// The HDF5 type for every number type that a column may have.
#pragma once

#include <hdf5.h>

#include <cstdint>

namespace heddle {

/// Returns the type in memory. The file has the same type, so a result is little-endian on all
/// machines in use; HDF5 converts on others. Functions, not constants: HDF5 creates its types at
/// run time.
inline hid_t NativeType(std::int64_t) { return H5T_NATIVE_INT64; }
inline hid_t NativeType(std::uint32_t) { return H5T_NATIVE_UINT32; }
inline hid_t NativeType(std::uint16_t) { return H5T_NATIVE_UINT16; }
inline hid_t NativeType(std::uint8_t) { return H5T_NATIVE_UINT8; }
inline hid_t NativeType(int) { return H5T_NATIVE_INT; }
inline hid_t NativeType(double) { return H5T_NATIVE_DOUBLE; }

}  // namespace heddle
