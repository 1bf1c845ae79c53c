"""The compiler that setup.py calls for WebAssembly: Clang and wasm-ld of the package ziglang, by the options of
Emscripten's side modules, which Pyodide loads. ``MCTS_WASM_INCLUDE``: folders of headers before those of ziglang."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

TARGET = ["--target=wasm32-emscripten", "-nostdlibinc", "-fPIC", "-mbulk-memory", "-mnontrapping-fptoint", "-msign-ext",
          "-g0", "-D__EMSCRIPTEN__=1"]
SIDE_MODULE = ["--experimental-pic", "-shared", "--no-entry", "--import-memory",
               "--unresolved-symbols=import-dynamic", "--strip-all",
               "--no-check-features",  # ziglang's C may use more by default: not what Node 20 cannot read
               "--features=bulk-memory,mutable-globals,nontrapping-fptoint,sign-ext,simd128"]
PASSED_ON = ("-D", "-U", "-O", "-W", "-ffp-contract", "-fno-math-errno", "-fwrapv", "-msimd128")


def compiled(arguments):
    """The command line for one source. Options for the compiler of this machine are left out, and so are the headers of
    the Python that runs setup.py."""
    package = Path(importlib.util.find_spec("ziglang").submodule_search_locations[0])
    libc = package / "lib" / "libc" / "include"
    command = ["cc", *TARGET]
    for folder in os.environ["MCTS_WASM_INCLUDE"].split(os.pathsep):
        command += ["-isystem", folder]
    command += ["-isystem", str(libc / "x86-linux-musl"), "-isystem", str(libc / "generic-musl")]
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-c", "-o"):
            command += [argument, next(rest)]
        elif argument.startswith("-I"):
            folder = argument[2:] or next(rest)
            if not (Path(folder) / "Python.h").exists():
                command.append(f"-I{folder}")
        elif argument.startswith(PASSED_ON) and not argument.startswith("-Wl,"):
            command.append(argument)
    return command


def linked(arguments):
    output = arguments[arguments.index("-o") + 1]
    name = Path(output).name.split(".")[0]
    return ["wasm-ld", *SIDE_MODULE, f"--export=PyInit_{name}",
            *(argument for argument in arguments if argument.endswith(".o")), "-o", output]


if __name__ == "__main__":
    command = compiled(sys.argv[1:]) if "-c" in sys.argv else linked(sys.argv[1:])
    sys.exit(subprocess.call([sys.executable, "-m", "ziglang", *command]))
