# SPDX-License-Identifier: Apache-2.0
# tenon_add_plugin(NAME SOURCES FILE... [LIBRARIES LIB...] [SHARED_RUNTIME])
#
# Builds NAME.so, a Tenon plugin: one exported symbol, and, unless SHARED_RUNTIME is given, its own
# copy of the C++ runtime, so that it runs on any system with a C library as new as the one that it
# was built on.
function(tenon_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED_RUNTIME" "" "SOURCES;LIBRARIES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin(${name}): seen '${ARGN}'; expected "
      "SOURCES FILE... [LIBRARIES LIB...] [SHARED_RUNTIME]")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tenon::sdk ${arg_LIBRARIES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(APPLE)
    target_link_options(${name} PRIVATE -Wl,-exported_symbol,_tenon_plugin_v1)
  else()
    set(exports ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.map)
    target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,-z,defs)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
    if(NOT arg_SHARED_RUNTIME)
      target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
  endif()
endfunction()
