// SPDX-License-Identifier: GPL-2.0-only
/// Handles of HDF5 objects that close themselves, and the check of every return value.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <string>
#include <utility>

namespace heddle {

/// Owns one HDF5 identifier and closes it with `kClose`. Move only.
template <herr_t (*kClose)(hid_t)>
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  explicit Hdf5Handle(hid_t id) : id_(id) {}  ///< takes ownership; negative: none
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Handle() { Close(); }

  hid_t get() const { return id_; }        ///< still owned here
  bool valid() const { return id_ >= 0; }  ///< HDF5 returned no error
  /// Closes now; negative if HDF5 failed (for a file: data may be lost).
  herr_t Close() {
    const hid_t id = std::exchange(id_, -1);
    return id >= 0 ? kClose(id) : 0;
  }

 private:
  hid_t id_ = -1;
};

/// H5Fclose; negative if data were lost. Hdf5CannotEnd() is then true.
herr_t CloseHdf5File(hid_t file);

using Hdf5File = Hdf5Handle<&CloseHdf5File>;
using Hdf5Group = Hdf5Handle<&H5Gclose>;
using Hdf5Dataset = Hdf5Handle<&H5Dclose>;
using Hdf5Space = Hdf5Handle<&H5Sclose>;
using Hdf5Type = Hdf5Handle<&H5Tclose>;
using Hdf5Attribute = Hdf5Handle<&H5Aclose>;
using Hdf5Properties = Hdf5Handle<&H5Pclose>;

/// Stops HDF5 from printing its error stack, because our errors include its text; and from loading
/// plugins, because a file that names a filter unknown to HDF5 would run code from a folder named
/// in the environment.
void SetUpHdf5();

/// Returns HDF5's text about its last error, in one line; empty if there is none.
std::string Hdf5Complaint();

/// Turns negative return values of HDF5 into errors with file and action.
class Hdf5Check {
 public:
  enum class Blame {
    kOutput,  ///< FileError: the disk or folder is at fault
    kInput,   ///< UserError: the user's file is at fault
  };
  /// `path`: the file's name in messages.
  Hdf5Check(std::string path, Blame blame) : path_(std::move(path)), blame_(blame) {}

  /// Returns `value` if it is not negative. `action` completes "cannot ...".
  template <class T>
  T operator()(T value, const std::string& action) const {
    if (value < 0) Fail(action);
    return value;
  }
  /// Throws FileError or UserError "FILE: cannot ACTION", with HDF5's own text.
  [[noreturn]] void Fail(const std::string& action) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Blame blame_;
};

/// Makes HDF5's type for UTF-8 text of `bytes` bytes (at least 1), shorter ones filled up with
/// zeros. No type of variable length: those are in HDF5's global heap, which is not compressed and
/// whose damage crashes libhdf5.
Hdf5Type MakeTextType(const Hdf5Check& check, std::size_t bytes);

}  // namespace heddle
