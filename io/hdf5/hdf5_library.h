// SPDX-License-Identifier: GPL-2.0-only
/// Facts about the HDF5 library, without its headers.
#pragma once

#include <string>

namespace heddle {

/// "1.10.8 (parallel)" or "1.10.8 (serial)": the library's release, and whether it supports MPI.
std::string Hdf5Version();

/// Whether HDF5 still holds a file that it could not close, because the disk was full. HDF5 then
/// crashes when MPI or the process ends in order (seen with 1.10.8), so the process must end
/// abruptly.
bool Hdf5CannotEnd();
/// For CloseHdf5File() only: Hdf5CannotEnd() is true from now on.
void NoteHdf5CannotEnd();

}  // namespace heddle
