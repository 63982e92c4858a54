# Graphviz's library of graphs as a target Cgraph::cgraph.
include(${CMAKE_CURRENT_LIST_DIR}/PlainLibrary.cmake)
heddle_plain_library(Cgraph Cgraph::cgraph graphviz/cgraph.h cgraph)
