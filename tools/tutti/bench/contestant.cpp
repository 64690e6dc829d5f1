// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "contestant.hpp"

#include "../common/descriptor.hpp"
#include "../common/meeting.hpp"
#include "../common/shared_room.hpp"
#include "../run/local_ranks.hpp"
#include "../run/spawn.hpp"
#include "contestants/calls.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

struct outcome {
    bool succeeded = false;
    std::string said;
};

/// Runs a line of the shell.
outcome run(const std::string& line) {
    std::FILE* const pipe = popen(("exec 2>&1; " + line).c_str(), "r");
    if (!pipe) throw std::system_error(errno, std::generic_category(), "cannot start a shell");
    outcome o;
    std::array<char, 4096> piece;
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) o.said.append(piece.data(), got);
    o.succeeded = pclose(pipe) == 0;
    return o;
}

std::string quoted(const std::string& word) {
    std::string q = "'";
    for (const char c : word) q += c == '\'' ? "'\\''" : std::string(1, c);
    return q + "'";
}

bool is_on_path(const std::string& program) { return run("command -v " + program).succeeded; }

/// The line that says what went wrong.
std::string error_in(const std::string& said) {
    std::istringstream in(said);
    std::string first, line;
    while (std::getline(in, line)) {
        if (first.empty()) first = line;
        if (line.find("error") != line.npos || line.find("cannot find") != line.npos) return line;
    }
    return first;
}

std::shared_ptr<const std::string> make_folder() {
    std::string path = (std::filesystem::temp_directory_path() / "tutti-contestant-XXXXXX").string();
    if (!mkdtemp(path.data())) throw std::system_error(errno, std::generic_category(), "cannot make " + path);
    return {new std::string(path), [](const std::string* made) {
                std::error_code none;
                std::filesystem::remove_all(*made, none);
                delete made;
            }};
}

/// Where MPICH would take ranks for neighbours that share a host, and then messages through shared memory.
const std::vector<std::pair<std::string, std::string>> mpich_over_tcp{
    {"MPIR_CVAR_NOLOCAL", "1"}, {"UCX_TLS", "tcp,self"}, {"UCX_NET_DEVICES", "lo"}};

} // namespace

contestant::contestant(const std::string& name, const bench_settings& settings) : name_(name), settings_(&settings) {
    const std::string& over = settings.transport;
    if (name == "nccl")
        throw std::invalid_argument(
            "--contestant nccl: NCCL is not launched by this command: let nccl-tests measure it, "
            "and read what that prints by --against");
    if (over != "tcp" && over != "shared_memory" && over != "routed")
        throw std::invalid_argument(
            fmt::format("--contestant is of processes of one host over shared_memory, routed or tcp, not {}", over));
    if (settings.overlap || settings.encrypt || !settings.trace.empty() || settings.how == timing::stream)
        throw std::invalid_argument("--contestant is of blocking calls that are neither encrypted nor traced");
    if (name == "gloo") {
        if (over != "tcp") throw std::invalid_argument("--contestant gloo: Gloo goes over --transport tcp alone");
        for (const char* const found : {"c++", "g++", "clang++"})
            if (compiler_.empty() && is_on_path(found)) compiler_ = found;
        if (compiler_.empty()) throw std::invalid_argument("--contestant gloo: no C++ compiler is on PATH");
    } else {
        if (settings.bind.given() && settings.bind.text() != "core")
            throw std::invalid_argument(
                "--contestant: mpiexec binds ranks to cores or to none, not to a list of --bind");
        require_launcher(name == "openmpi" ? "Open" : "HYDRA");
    }
    folder_ = make_folder();
    compile();
}

void contestant::require_launcher(std::string_view words_of_version) {
    const bool by_name = is_on_path("mpiexec." + name_);
    launcher_ = by_name ? "mpiexec." + name_ : "mpiexec";
    compiler_ = by_name ? "mpicc." + name_ : "mpicc";
    const std::string package = "install " + (name_ == "openmpi" ? std::string("openmpi-bin and libopenmpi-dev")
                                                                 : std::string("mpich and libmpich-dev"));
    if (!by_name &&
        (!is_on_path("mpiexec") || run("mpiexec --version").said.find(words_of_version) == std::string::npos))
        throw std::invalid_argument(fmt::format("--contestant {0}: its launcher is missing, no mpiexec.{0} nor an "
                                                "mpiexec of it is on PATH: {1}",
                                                name_, package));
    if (!is_on_path(compiler_))
        throw std::invalid_argument(
            fmt::format("--contestant {}: its compiler {} is not on PATH: {}", name_, compiler_, package));
}

void contestant::compile() {
    constexpr std::array names{"calls.h", "mpi.c", "gloo.cpp"};
    for (std::size_t k = 0; k < names.size(); ++k)
        if (!(std::ofstream(*folder_ + "/" + names[k]) << contestant_sources[k]).flush())
            throw std::system_error(errno, std::generic_category(), "cannot write to " + *folder_);
    const bool gloo = name_ == "gloo";
    const outcome o = run(fmt::format("cd {} && {} -O3 -fPIC -shared -o calls.so {}", quoted(*folder_), compiler_,
                                      gloo ? "-std=c++17 gloo.cpp -lgloo" : "mpi.c"));
    if (!o.succeeded)
        throw std::invalid_argument(fmt::format("--contestant {}: {} does not compile its calls{}: {}", name_,
                                                compiler_, gloo ? ", which needs Gloo as libgloo-dev has it" : "",
                                                error_in(o.said)));
}

launch_options contestant::launch_of(std::vector<std::string> command, int room) {
    const bench_settings& s = *settings_;
    const std::string ranks = std::to_string(s.ranks);
    launch_options options = local_ranks(command, s.ranks);
    if (name_ == "gloo") {
        options.bind = s.bind;
    } else {
        std::vector<std::string> start{launcher_};
        const std::string bind = s.bind.given() ? "core" : "none";
        if (name_ == "openmpi") {
            start.insert(start.end(), {"--mca", "pml", "ob1", "--mca", "btl"});
            if (s.transport == "tcp")
                start.insert(start.end(), {"tcp,self", "--mca", "btl_tcp_if_include", "lo"});
            else
                start.push_back("vader,self");
            if (s.ranks > sysconf(_SC_NPROCESSORS_ONLN)) start.push_back("--oversubscribe");
            start.insert(start.end(), {"--bind-to", bind, "-n", ranks});
        } else {
            start.insert(start.end(), {"-bind-to", bind, "-n", ranks});
        }
        command[0] = std::filesystem::read_symlink(this_program).string();
        start.insert(start.end(), command.begin(), command.end());
        options = local_ranks(start, 1);
        options.program.clear();
        options.environment = {{"TUTTI_RANK", ""},
                               {"TUTTI_SIZE", ""},
                               {"TUTTI_ADDRESS", ""},
                               {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                               {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
        if (name_ == "mpich" && s.transport == "tcp")
            options.environment.insert(options.environment.end(), mpich_over_tcp.begin(), mpich_over_tcp.end());
    }
    const std::string folder = fmt::format("{}/{}", *folder_, launches_++);
    std::filesystem::create_directory(folder);
    // By its path: Open MPI closes what its ranks would inherit.
    options.environment.emplace_back(contestant_variable, fmt::format("/proc/{}/fd/{}:{}", getpid(), room, folder));
    return options;
}

namespace {

/// The functions of calls.h, from the shared object.
struct loaded_calls {
    explicit loaded_calls(const std::string& file) {
        // Global: Open MPI loads parts of itself, which look for the rest of it.
        void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!object) throw std::runtime_error(std::string("cannot load the contestant: ") + dlerror());
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(object, name));
            if (!function) throw std::runtime_error(std::string("the contestant lacks ") + name);
        };
        find(begin, "contestant_begin");
        find(has, "contestant_has");
        find(bind, "contestant_bind");
        find(run, "contestant_run");
        find(release, "contestant_release");
        find(end, "contestant_end");
    }

    decltype(&contestant_begin) begin{};
    decltype(&contestant_has) has{};
    decltype(&contestant_bind) bind{};
    decltype(&contestant_run) run{};
    decltype(&contestant_release) release{};
    decltype(&contestant_end) end{};
};

/// Of text that stays: names are of tables, and end where their words do. `parts` is for those of given lengths.
contestant_call call_of(const job& what, const buffers& where, std::vector<std::size_t>& parts) {
    for (int rank = 0; what.uneven && rank <= what.ranks; ++rank) parts.push_back(what.part_begins(rank));
    const bool in_pairs = what.in_pairs();
    const int partner = in_pairs ? what.pairs_of_ranks().partner_of(what.rank).value_or(-1) : -1;
    return {what.name().data(),
            name_of(what.type).data(),
            what.reduces() ? name_of(what.op).data() : "none",
            what.count,
            what.in_place,
            what.root,
            what.rank,
            what.ranks,
            partner,
            in_pairs && what.pairs_of_ranks().begins(what.rank),
            static_cast<int>(stream_messages),
            what.uneven ? parts.data() : nullptr,
            where.input,
            where.output};
}

} // namespace

int bench_as_contestant(bench_settings s, const std::string& told) {
    const std::size_t colon = told.find(':');
    const std::filesystem::path folder = told.substr(colon + 1); // of this launch
    const std::string room = told.substr(0, colon);
    const loaded_calls calls(folder.parent_path() / "calls.so");
    int rank = 0, ranks = 0;
    if (const char* const wrong = calls.begin(&rank, &ranks, folder.c_str())) throw std::runtime_error(wrong);
    s.ranks = ranks;
    const descriptor file{open(room.c_str(), O_RDWR | O_CLOEXEC)};
    if (!file.open()) throw std::system_error(errno, std::generic_category(), "cannot open " + room);
    shared_meeting others{shared_room::open(ranks, file.get()), rank, s.deadline(), nullptr};
    const binder bind = [&](const job& what, const buffers& where) -> call {
        std::vector<std::size_t> parts;
        const contestant_call c = call_of(what, where, parts);
        const std::shared_ptr<void> bound(calls.bind(&c), calls.release);
        return [bound, run = calls.run] { run(bound.get()); };
    };
    participant self{rank, ranks, others, bind, host_allocator_of(s), {}, CLOCK_PROCESS_CPUTIME_ID};
    self.has = [&](const job& what) {
        std::vector<std::size_t> parts;
        const contestant_call c = call_of(what, {}, parts);
        return calls.has(&c) != 0;
    };
    const bench_result found = take_part(self, s);
    others.barrier(); // nobody leaves while another may still be inside a call
    calls.end();
    return found.status();
}

} // namespace tutti::tools
