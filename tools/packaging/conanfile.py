# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""A package for Conan 2, on the system's OpenSSL and libibverbs.

usage: conan create tools/packaging -s compiler.cppstd=gnu20

Options: compiled=True adds the compiled library, static or, with shared=True, shared; verbs=True the targets for RDMA.
Consumers get the CMake targets tutti::tutti, tutti::tcp and so on, and the packages tutti, tutti-tcp and so on of
pkg-config.
"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt, Dnf

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("CMakeLists.txt", "meson.build", "LICENSE", "include/*", "kernels/*", "tools/compiled/*", "tools/packaging/*")


class Tutti(ConanFile):
    name = "tutti"
    description = "Collective communication from proven schedules"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    options = {"compiled": [True, False], "shared": [True, False], "verbs": [True, False]}
    default_options = {"compiled": False, "shared": False, "verbs": False}

    def set_version(self):
        self.version = re.search(r"^    version : '([0-9.]+)',$", (ROOT / "meson.build").read_text(), re.MULTILINE).group(1)

    def export(self):
        copy(self, "meson.build", ROOT, pathlib.Path(self.export_folder).parents[1])

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, ROOT, self.export_sources_folder)

    def system_requirements(self):
        Apt(self).install(["libssl-dev"] + (["libibverbs-dev"] if self.options.verbs else []))
        Dnf(self).install(["openssl-devel"] + (["rdma-core-devel"] if self.options.verbs else []))

    def configure(self):
        if not self.options.compiled:
            self.options.rm_safe("shared")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["TUTTI_COMPILED"] = bool(self.options.compiled)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        if self.options.compiled:
            cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tutti")
        self.add_component("tutti", includedirs=["include"], system_libs=["pthread"])
        self.add_component("tcp", requires=["tutti"], system_libs=["crypto"])
        if self.options.verbs:
            self.add_component("verbs", requires=["tcp"], system_libs=["ibverbs"])
        if self.options.compiled:
            self.add_component("tcp_compiled", requires=["tcp"], libs=["tutti"], defines=["TUTTI_COMPILED"])
        if self.options.compiled and self.options.verbs:
            self.add_component("verbs_compiled", requires=["tcp_compiled", "verbs"], libs=["tutti_verbs"])

    def add_component(self, name, requires=(), **facts):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"tutti::{name}")
        component.set_property("pkg_config_name", name if name == "tutti" else f"tutti-{name.replace('_', '-')}")
        component.includedirs = facts.get("includedirs", [])
        component.libs = facts.get("libs", [])
        component.system_libs = facts.get("system_libs", [])
        component.defines = facts.get("defines", [])
        component.requires = list(requires)
