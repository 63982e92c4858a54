// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/hdf5_handle.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "io/hdf5/hdf5_library.h"

namespace heddle {
namespace {

/// H5Ewalk2 visits the innermost error first, which has the actual cause.
extern "C" herr_t KeepInnermost(unsigned n, const H5E_error2_t* error, void* text) {
  if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

void SetUpHdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
}

herr_t CloseHdf5File(hid_t file) {
  const herr_t closed = H5Fclose(file);
  if (closed < 0) NoteHdf5CannotEnd();
  return closed;
}

std::string Hdf5Complaint() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &KeepInnermost, &text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  // The text of a failed write has the time and addresses, and among them the system's reason.
  const std::string mark = "error message = '";
  const std::size_t reason = text.find(mark);
  if (reason == std::string::npos) return text;
  text.erase(0, reason + mark.size());
  return text.substr(0, text.find('\''));
}

void Hdf5Check::Fail(const std::string& action) const {
  const std::string complaint = Hdf5Complaint();
  const std::string why = complaint.empty() ? "" : fmt::format(" (HDF5: {})", complaint);
  if (blame_ == Blame::kInput) {
    FailInput({path_, 0}, fmt::format("cannot {}{}", action, why),
              "a whole result file of heddle; run the simulation again if this one is damaged");
  }
  throw FileError(
      fmt::format("{}: cannot {}{}. Check the free space and the directory, or give "
                  "another path",
                  path_, action, why));
}

Hdf5Type MakeTextType(const Hdf5Check& check, std::size_t bytes) {
  Hdf5Type type(check(H5Tcopy(H5T_C_S1), "make a text type"));
  check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), "make a text type");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "make a text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "make a text type");
  return type;
}

}  // namespace heddle
