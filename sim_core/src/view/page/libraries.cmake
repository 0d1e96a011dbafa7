# Finds what the page of `filum view` needs, and fetches the libraries that package.json pins into build/page/lib; nothing is
# fetched at run time. Sets filum_view, and FILUM_WEBSOCKETS_INCLUDE and FILUM_WEBSOCKETS_LIBRARY.
find_path(FILUM_WEBSOCKETS_INCLUDE libwebsockets.h)
find_library(FILUM_WEBSOCKETS_LIBRARY websockets)
find_program(FILUM_NPM npm)
mark_as_advanced(FILUM_WEBSOCKETS_INCLUDE FILUM_WEBSOCKETS_LIBRARY FILUM_NPM)

set(page_libraries
    three/build/three.module.js three/build/three.core.js
    three/examples/jsm/controls/OrbitControls.js
    three/examples/jsm/geometries/ConvexGeometry.js
    three/examples/jsm/math/ConvexHull.js
    uplot/dist/uPlot.esm.js uplot/dist/uPlot.min.css)

# copies a module; what it imports by a package's name becomes a path, which a browser resolves by itself
function(filum_copy_library file)
    file(READ ${PROJECT_BINARY_DIR}/page_packages/node_modules/${file} text)
    string(REPLACE "from 'three'" "from '/lib/three/build/three.module.js'" text "${text}")
    file(WRITE ${PROJECT_BINARY_DIR}/page/lib/${file} "${text}")
endfunction()

# fetches what is pinned, once; sets `failure` to what went wrong
function(filum_fetch_libraries failure)
    set(pinned ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/package.json)
    set(packages ${PROJECT_BINARY_DIR}/page_packages)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pinned})
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${pinned} ${PROJECT_BINARY_DIR}/page/lib/installed.json
        RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
    set(result 0)
    if(differs)
        file(COPY ${pinned} DESTINATION ${packages})
        execute_process(COMMAND ${FILUM_NPM} install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error
            WORKING_DIRECTORY ${packages} RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET TIMEOUT 120)
    endif()
    if(differs AND result EQUAL 0)
        foreach(file IN LISTS page_libraries)
            filum_copy_library(${file})
        endforeach()
        file(COPY_FILE ${pinned} ${PROJECT_BINARY_DIR}/page/lib/installed.json)
    endif()
    set(${failure} "" PARENT_SCOPE)
    if(NOT result EQUAL 0)
        set(${failure} "npm cannot install what sim_core/src/view/page/package.json names" PARENT_SCOPE)
    endif()
endfunction()

set(missing "")
if(NOT FILUM_WEBSOCKETS_INCLUDE OR NOT FILUM_WEBSOCKETS_LIBRARY OR NOT FILUM_NPM)
    set(missing "libwebsockets or npm is missing. On Debian or Ubuntu: apt install libwebsockets-dev npm")
else()
    filum_fetch_libraries(missing)
endif()
if(missing STREQUAL "")
    set(filum_view ON)
elseif(FILUM_VIEW STREQUAL "on")
    message(FATAL_ERROR "FILUM_VIEW=on: ${missing}")
else()
    message(NOTICE "No `filum view`: ${missing}")
endif()
