# copy_library.cmake -DFROM=FILE -DTO=FILE: copies a module; what it imports by a package's name becomes a path, which a browser
# resolves by itself.
file(READ ${FROM} text)
string(REPLACE "from 'three'" "from '/lib/three/build/three.module.js'" text "${text}")
file(WRITE ${TO} "${text}")
