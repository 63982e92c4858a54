// SPDX-License-Identifier: GPL-2.0-only
/// What the program has to know of the HDF5 library, without its headers.
#ifndef HEDDLE_IO_HDF5_HDF5_LIBRARY_H_
#define HEDDLE_IO_HDF5_HDF5_LIBRARY_H_

#include <string>

namespace heddle {

/// "1.10.8 (parallel)" or "1.10.8 (serial)": the library's release, and whether it can write one
/// file from many ranks.
std::string Hdf5Version();

/// Whether HDF5 holds a file that it could not close, for want of room: it then crashes when MPI or
/// the process ends in order (seen with 1.10.8), so the process has to end without.
bool Hdf5CannotEnd();
/// For CloseHdf5File() alone: Hdf5CannotEnd() from now on.
void NoteHdf5CannotEnd();

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_HDF5_LIBRARY_H_
