# libdeflate as a target Libdeflate::libdeflate.
include(${CMAKE_CURRENT_LIST_DIR}/PlainLibrary.cmake)
heddle_plain_library(Libdeflate Libdeflate::libdeflate libdeflate.h deflate)
