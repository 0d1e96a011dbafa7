# cmake -DPREFIX=... -DLIBDIR=... -DFOLDER=... -DCC=... -DCXX=... -P pkg_config.cmake
# Programs that find an installed Filum by pkg-config, in C and in C++.
find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG OR NOT CXX)
    message(STATUS "SKIPPED: needs pkg-config and a C++ compiler. On Debian or Ubuntu: apt install pkg-config g++")
    return()
endif()
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)

# run(<command>...): stops with what it wrote if it fails; leaves that in `output`
function(run)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE failed
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}: ${failed}\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

# build_and_run(<name> <compiler> <source> <flags> <module>...)
function(build_and_run name compiler source flags)
    run(${PKG_CONFIG} --cflags --libs ${ARGN})
    separate_arguments(found UNIX_COMMAND "${output}")
    run(${compiler} -Wall -Wextra -Werror ${flags} ${source} -o ${FOLDER}/${name} ${found} -Wl,-rpath,${PREFIX}/${LIBDIR})
    run(${FOLDER}/${name})
    message(STATUS "${name}: ${output}")
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
build_and_run(user_c ${CC} ${CMAKE_CURRENT_LIST_DIR}/user/user.c "" filum_scene filum_record)
build_and_run(user_cpp ${CXX} ${CMAKE_CURRENT_LIST_DIR}/user/user.c "-xc++" filum_scene filum_record)
build_and_run(example ${CC} ${EXAMPLE} "" filum_physics)
