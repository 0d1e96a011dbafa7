# Writes the commit that is being built into a header, only when it has changed.
cmake_minimum_required(VERSION 3.22)
find_package(Git QUIET)
set(commit unknown)
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${described})
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define FILUM_COMMIT \"@commit@\"\n" @ONLY)
