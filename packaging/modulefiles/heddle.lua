-- SPDX-License-Identifier: GPL-2.0-only
-- Module file (Lmod) of an installed heddle. The prefix is derived from this file's own path, so that an installation can be
-- moved; `cmake --install` puts the file at PREFIX/share/heddle/modulefiles/heddle/VERSION.lua
--   module use PREFIX/share/heddle/modulefiles; module load heddle
local prefix = myFileName():match("^(.*)/share/heddle/modulefiles/")

help([[heddle simulates the network of an AI training cluster packet by packet.
heddle --help lists its commands; job scripts are in $HEDDLE_SLURM, the documentation in $HEDDLE_DOC.]])
whatis("Name: heddle")
whatis("Version: " .. myModuleVersion())
whatis("Description: parallel packet-level simulator of AI training fabrics")

-- Sites: add here the MPI with which heddle was built, such as depends_on("openmpi/4.1.4").
conflict("heddle")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("PYTHONPATH", pathJoin(prefix, "share/heddle/python"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
setenv("HEDDLE_SLURM", pathJoin(prefix, "share/heddle/slurm"))
setenv("HEDDLE_DOC", pathJoin(prefix, "share/doc/heddle"))
