# METIS 5 as a target Metis::metis.
include(${CMAKE_CURRENT_LIST_DIR}/PlainLibrary.cmake)
heddle_plain_library(Metis Metis::metis metis.h metis)
