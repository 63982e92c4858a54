// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/hdf5_library.h"

#include <hdf5.h>

namespace heddle {
namespace {

bool file_left_open = false;

}  // namespace

std::string Hdf5Version() {
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
#ifdef H5_HAVE_PARALLEL
  const char* kind = " (parallel)";
#else
  const char* kind = " (serial)";
#endif
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) + kind;
}

bool Hdf5CannotEnd() { return file_left_open; }
void NoteHdf5CannotEnd() { file_left_open = true; }

}  // namespace heddle
