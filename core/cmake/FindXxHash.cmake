# xxHash as a target XxHash::xxhash.
include(${CMAKE_CURRENT_LIST_DIR}/PlainLibrary.cmake)
heddle_plain_library(XxHash XxHash::xxhash xxhash.h xxhash)
