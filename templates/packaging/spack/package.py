# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Loopsheet(CargoPackage):
    """Reads C and Fortran loop nests and writes a formula-driven performance
    spreadsheet; reads instruction traces of RISC-V programs and compares."""

    # A recipe of your own repository: say where your copy of the sources is (a directory, or an
    # address that Git can clone).
    git = "file:///path/to/loopsheet"

    license("MIT OR Apache-2.0")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")

    build_args = ["--locked"]

    @run_after("install")
    def install_manual_and_completions(self):
        program = Executable(join_path(self.prefix.bin, "loopsheet"))
        program("man", self.prefix.share.man.man1)
        directory = bash_completion_path(self.prefix)
        mkdirp(directory)
        with open(join_path(directory, "loopsheet"), "w") as file:
            program("completions", "bash", output=file)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(join_path(self.prefix.bin, "loopsheet"))("demo", self.stage.path)
