# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors

# Makes a C source of a file: cmake -DIN=FILE -DOUT=SOURCE -DNAME=array -P embed.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPLACE "0x0a," "0x0a,\n" bytes "${bytes}") # a line of the file is one here
file(WRITE ${OUT} "// Made of ${NAME}.\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0\n};\n")
