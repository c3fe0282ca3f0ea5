# SPDX-License-Identifier: Apache-2.0
include(${CMAKE_CURRENT_LIST_DIR}/tenon-sdk-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tenon_add_plugin.cmake)
