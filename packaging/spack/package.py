# Copyright the goban developers. SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Goban(CMakePackage):
    """Stencil computations at memory speed, on every core and GPU."""

    license("BSD-3-Clause")

    version("0.1.0")  # of a folder: spack dev-build goban@0.1.0

    variant("hdf5", default=True, description="VTKHDF snapshots")
    variant("cairo", default=True, description="Pictures")
    variant("live", default=True, description="The page of a run in a browser")
    variant("mpi", default=True, description="Several processes")
    variant("cuda", default=True, description="NVIDIA GPUs, whose driver is found at run time")
    variant("python", default=True, description="The package goban of Python")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json")
    depends_on("cli11", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("xxhash", type="build")
    depends_on("libpng")
    depends_on("hdf5~mpi+hl", when="+hdf5")
    depends_on("cairo+png+pdf+svg", when="+cairo")
    depends_on("cpp-httplib", type="build", when="+live")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type="run", when="+python")

    requires("%gcc@12:", "%clang@15:", policy="one_of", msg="goban is written in C++20")

    def cmake_args(self):
        names = ("hdf5", "cairo", "live", "mpi", "cuda", "python")
        return [self.define_from_variant(f"GOBAN_{name.upper()}", name) for name in names]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.lib.goban.python)
