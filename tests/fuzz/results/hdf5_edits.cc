// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/results/hdf5_edits.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "io/hdf5/file_seal.h"

namespace heddle {
namespace {

/// Objects are closed with the file (H5F_CLOSE_STRONG), types and spaces with the editor.
class Editor {
 public:
  explicit Editor(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
    H5Pclose(access);
  }
  ~Editor() {
    for (const hid_t id : owned_) H5Idec_ref(id);
    H5Fclose(file_);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  void Do(const Hdf5Edit& edit) {
    static const std::vector<void (Editor::*)(const std::string&, std::uint8_t)> actions = {
        &Editor::SetValue, &Editor::SetValue,     &Editor::SetValue, &Editor::SetValue,
        &Editor::Retype,   &Editor::Reshape,      &Editor::Remove,   &Editor::RemoveTable,
        &Editor::Link,     &Editor::SetAttribute, &Editor::Describe, &Editor::SetText};
    const std::vector<std::string> datasets = Datasets();
    if (datasets.empty()) return;
    const std::size_t place = (std::size_t{edit.place_high} << 8) | edit.place_low;
    (this->*actions[edit.action % actions.size()])(datasets[place % datasets.size()],
                                                   edit.parameter);
  }

 private:
  static herr_t Keep(hid_t, const char* name, const H5O_info_t* info, void* names) {
    if (info->type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  }
  std::vector<std::string> Datasets() const {
    std::vector<std::string> names;
    H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_INC, &Keep, &names, H5O_INFO_BASIC);
    return names;
  }
  static std::string GroupOf(const std::string& dataset) {
    const std::size_t slash = dataset.rfind('/');
    return slash == std::string::npos ? dataset : dataset.substr(0, slash);
  }

  /// Types that heddle does not write, or not in this place.
  hid_t TypeOf(std::uint8_t parameter) { return Own(MakeType(parameter)); }
  static hid_t MakeType(std::uint8_t parameter) {
    const auto made = [](hid_t type, const std::function<void(hid_t)>& change) {
      change(type);
      return type;
    };
    switch (parameter % 16) {
      case 0:
        return H5Tcopy(H5T_STD_I8LE);
      case 1:
        return H5Tcopy(H5T_STD_I64BE);
      case 2:
        return H5Tcopy(H5T_STD_U64LE);
      case 3:
        return H5Tcopy(H5T_IEEE_F32LE);
      case 4:
        return made(H5Tcopy(H5T_C_S1), [](hid_t t) { H5Tset_size(t, 3); });
      case 5:
        return made(H5Tcopy(H5T_C_S1), [](hid_t t) { H5Tset_size(t, H5T_VARIABLE); });
      case 6:
        return made(H5Tcreate(H5T_COMPOUND, 8),
                    [](hid_t t) { H5Tinsert(t, "x", 0, H5T_STD_I64LE); });
      case 7: {
        const hsize_t three = 3;
        return H5Tarray_create2(H5T_STD_I64LE, 1, &three);
      }
      case 8:
        return H5Tvlen_create(H5T_STD_I64LE);
      case 9:
        return H5Tcreate(H5T_OPAQUE, 8);
      case 10:
        return H5Tcopy(H5T_STD_REF_OBJ);
      case 11:
        return H5Tenum_create(H5T_STD_U32LE);
      case 12:
        return made(H5Tcopy(H5T_STD_I64LE), [](hid_t t) { H5Tset_precision(t, 13); });
      case 13:
        return H5Tcopy(H5T_STD_U32BE);
      case 14:
        return H5Tcopy(H5T_NATIVE_LDOUBLE);
      default:
        return H5Tcopy(H5T_STD_B64LE);
    }
  }

  void MakeDataset(const std::string& name, hid_t type, hid_t space, bool chunked) {
    H5Ldelete(file_, name.c_str(), H5P_DEFAULT);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[3] = {64, 1, 1};
    if (chunked) H5Pset_chunk(create, H5Sget_simple_extent_ndims(space), chunk);
    H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
  }

  void Retype(const std::string& name, std::uint8_t parameter) {
    const hid_t old = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = Own(H5Dget_space(old));
    MakeDataset(name, TypeOf(parameter), space, false);
  }

  void Reshape(const std::string& name, std::uint8_t parameter) {
    const hid_t old = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), type = Own(H5Dget_type(old));
    hsize_t rows = 0;
    H5Sget_simple_extent_dims(Own(H5Dget_space(old)), &rows, nullptr);
    const hsize_t wide[3] = {rows, 2, 2}, more = rows + 1, none = 0, many = 70000;
    const hsize_t huge = hsize_t{1} << 40, unlimited = H5S_UNLIMITED;
    switch (parameter % 8) {
      case 0:
        return MakeDataset(name, type, Own(H5Screate(H5S_SCALAR)), false);
      case 1:
        return MakeDataset(name, type, Own(H5Screate(H5S_NULL)), false);
      case 2:
        return MakeDataset(name, type, Own(H5Screate_simple(2, wide, nullptr)), false);
      case 3:
        return MakeDataset(name, type, Own(H5Screate_simple(3, wide, nullptr)), false);
      case 4:
        return MakeDataset(name, type, Own(H5Screate_simple(1, &more, nullptr)), false);
      case 5:
        return MakeDataset(name, type, Own(H5Screate_simple(1, &none, nullptr)), false);
      case 6:
        return MakeDataset(name, type, Own(H5Screate_simple(1, &huge, &unlimited)), true);
      default:
        return MakeDataset(name, type, Own(H5Screate_simple(1, &many, nullptr)), true);
    }
  }

  void Remove(const std::string& name, std::uint8_t /*parameter*/) {
    H5Ldelete(file_, name.c_str(), H5P_DEFAULT);
  }

  void RemoveTable(const std::string& name, std::uint8_t parameter) {
    const std::string group = GroupOf(name);
    H5Ldelete(file_, group.c_str(), H5P_DEFAULT);
    const hsize_t one = 1;
    if (parameter % 4 == 1) H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (parameter % 4 == 2)
      MakeDataset(group, Own(H5Tcopy(H5T_STD_I64LE)), Own(H5Screate_simple(1, &one, nullptr)),
                  false);
  }

  /// Puts another object, or none, under the name of a column or next to it.
  void Link(const std::string& name, std::uint8_t parameter) {
    const std::string to = parameter % 2 == 0 ? name : GroupOf(name) + "/one more";
    H5Ldelete(file_, to.c_str(), H5P_DEFAULT);
    switch (parameter / 2 % 6) {
      case 0:
        H5Lcreate_soft("/nothing/here", file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        break;
      case 1:
        H5Lcreate_soft(("/" + to).c_str(), file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        break;
      case 2:
        H5Lcreate_hard(file_, "/", file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        break;
      case 3:
        H5Lcreate_external("/no/such/file.h5", "/flows/src", file_, to.c_str(), H5P_DEFAULT,
                           H5P_DEFAULT);
        break;
      case 4:
        H5Gcreate2(file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        break;
      default:
        H5Tcommit2(file_, to.c_str(), Own(H5Tcopy(H5T_STD_I64LE)), H5P_DEFAULT, H5P_DEFAULT,
                   H5P_DEFAULT);
    }
  }

  void MakeAttribute(hid_t object, const char* name, std::uint8_t parameter) {
    H5Adelete(object, name);
    if (parameter % 4 == 3) return;
    const hsize_t two[2] = {2, 1};
    const H5S_class_t none_or_one = parameter % 4 == 0 ? H5S_SCALAR : H5S_NULL;
    const hid_t space =
        Own(parameter % 4 == 1 ? H5Screate_simple(1, two, nullptr) : H5Screate(none_or_one));
    const hid_t type = parameter & 64 ? Own(H5Tcopy(H5T_STD_I64LE)) : TypeOf(parameter / 4);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const std::int64_t values[2] = {Number(parameter), -1};
    if (parameter & 64) H5Awrite(attribute, H5T_NATIVE_INT64, values);
  }

  static herr_t KeepName(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  }
  void SetAttribute(const std::string& dataset, std::uint8_t parameter) {
    const hid_t object = H5Gopen2(file_, dataset.size() % 3 == 0 ? "/run" : "/", H5P_DEFAULT);
    std::vector<std::string> names = {"new"};
    hsize_t position = 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, &KeepName, &names);
    MakeAttribute(object, names[std::hash<std::string>()(dataset) % names.size()].c_str(),
                  parameter);
  }
  void Describe(const std::string& name, std::uint8_t parameter) {
    const hid_t object =
        H5Oopen(file_, parameter & 128 ? GroupOf(name).c_str() : name.c_str(), H5P_DEFAULT);
    MakeAttribute(object, parameter & 32 ? "description" : "unit", parameter);
  }

  static std::int64_t Number(std::uint8_t parameter) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t numbers[] = {
        0,          1,          2,          5,  7,  255,   65535,      65536,
        0x7fffffff, 0xfffffffe, 0xffffffff, -1, -2, kMost, -kMost - 1, 1'000'000'007};
    return numbers[parameter % 16];
  }

  /// Changes one value of a column, or all of them.
  void SetValue(const std::string& name, std::uint8_t parameter) {
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT),
                type = Own(H5Dget_type(dataset));
    const hssize_t rows = H5Sget_simple_extent_npoints(Own(H5Dget_space(dataset)));
    const H5T_class_t kind = H5Tget_class(type);
    if (rows < 1 || rows > 100'000 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) return;
    // Kept bit for bit: HDF5 would clip values outside the type's range.
    const std::size_t size = H5Tget_size(type);
    if (size > 8) return;
    std::vector<char> values(static_cast<std::size_t>(rows) * size);
    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    std::int64_t number = Number(parameter);
    const double reals[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(), -1, 1e300};
    if (kind == H5T_FLOAT && size == 8) std::memcpy(&number, &reals[parameter % 4], sizeof number);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      if ((parameter & 128) != 0 || row == parameter / 16U % static_cast<std::size_t>(rows)) {
        std::memcpy(values.data() + row * size, &number, size);
      }
    }
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  void SetText(const std::string& name, std::uint8_t parameter) {
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT),
                type = Own(H5Dget_type(dataset));
    const hssize_t rows = H5Sget_simple_extent_npoints(Own(H5Dget_space(dataset)));
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || rows < 1 ||
        rows > 100'000)
      return;
    const char* texts[] = {
        "",           "\1",        "\xff\xfe\x80", "</script><b>", "\x1b[2J\n", "xxxxxxxxxxxxxxxx",
        "wire error", "\"\\u0000,"};
    const std::size_t size = H5Tget_size(type);
    std::string value = texts[parameter % 8];
    value.resize(size);
    std::string values;
    for (hssize_t row = 0; row < rows; ++row) values += value;
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  hid_t Own(hid_t id) {
    if (id >= 0) owned_.push_back(id);
    return id;
  }

  hid_t file_;
  std::vector<hid_t> owned_;
};

}  // namespace

namespace {

void ApplyEdits(const std::string& path, std::string_view bytes, std::size_t most) {
  Editor editor(path);
  for (std::size_t i = 0; i < most && bytes.size() >= sizeof(Hdf5Edit); ++i) {
    Hdf5Edit edit;
    std::memcpy(&edit, bytes.data(), sizeof edit);
    bytes.remove_prefix(sizeof edit);
    editor.Do(edit);
  }
}

}  // namespace

void EditHdf5(const std::string& path, std::string_view bytes, std::size_t most) {
  ApplyEdits(path, bytes, most);
  AppendSeal(path);
}

}  // namespace heddle
