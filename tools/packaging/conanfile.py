# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""A package for Conan 2, on the system's Boost, OpenSSL and libibverbs.

usage: conan create tools/packaging -s compiler.cppstd=gnu20

Options: with compiled=True programs take the compiled library, static or, with shared=True, shared; verbs=True adds what
goes over RDMA. Consumers get the CMake targets tutti::headers, tutti::tutti, tutti::tcp and tutti::verbs, and the packages
tutti-headers, tutti and so on of pkg-config.
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
        Apt(self).install_substitutes(["libboost1.81-dev"], ["libboost-dev"])
        Apt(self).install(["libssl-dev"] + (["libibverbs-dev"] if self.options.verbs else []))
        Dnf(self).install(["boost-devel", "openssl-devel"] + (["rdma-core-devel"] if self.options.verbs else []))

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
        self.add_component("headers", includedirs=["include"], system_libs=["pthread"])
        if self.options.compiled:
            self.add_component("tutti", requires=["headers"], libs=["tutti"], system_libs=["ssl", "crypto"],
                               defines=["TUTTI_COMPILED"])
        else:
            self.add_component("tutti", requires=["headers"])
        self.add_component("tcp", requires=["tutti"], system_libs=["ssl", "crypto"])
        if self.options.verbs:
            self.add_component("verbs", requires=["tcp"], system_libs=["ibverbs"],
                               libs=["tutti_verbs"] if self.options.compiled else [])

    def add_component(self, name, requires=(), **facts):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"tutti::{name}")
        component.set_property("pkg_config_name", name if name == "tutti" else f"tutti-{name}")
        component.includedirs = facts.get("includedirs", [])
        component.libs = facts.get("libs", [])
        component.system_libs = facts.get("system_libs", [])
        component.defines = facts.get("defines", [])
        component.requires = list(requires)
