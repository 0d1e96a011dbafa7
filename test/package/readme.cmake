# cmake -DREADME=... -DEXAMPLE=... -P readme.cmake
# README shows the example as it is compiled.
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(FIND "${readme}" "```c\n${example}```" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${README} has no block of C that is ${EXAMPLE}, letter for letter")
endif()
