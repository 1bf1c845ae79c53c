// Runs a Python program in Pyodide under Node: node pyodide.mjs FOLDER_OF_PYODIDE ROOT WHEELS PROGRAM ARGUMENTS...
// WHEELS, with commas between them, are unpacked; ROOT is seen as /checkout, where PROGRAM lies ("-m name": a module).
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

// Node would print the line of Pyodide's code that threw, which has a million characters.
process.on("uncaughtException", (error) => {
  console.error(error?.message ?? error);
  process.exit(1);
});

const [folder, root, wheels, ...argv] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("MCTS_CORE_")));
const python = await loadPyodide({ env: { HOME: "/home/pyodide", ...own } });
const extractDir = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
for (const wheel of wheels.split(",").filter(Boolean)) {
  python.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel", { extractDir });
}
python.mountNodeFS("/checkout", root);
python.setStdout({ write: (bytes) => fs.writeSync(1, bytes), isatty: false });
python.setStderr({ write: (bytes) => fs.writeSync(2, bytes), isatty: false });
python.globals.set("arguments", python.toPy(argv));
process.exitCode = python.runPython(`
import os, runpy, sys, traceback

def main(arguments):
    os.chdir("/checkout")
    sys.path[:] = [folder for folder in sys.path if folder]  # the package of the checkout is not built
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0

main(list(arguments))
`);
