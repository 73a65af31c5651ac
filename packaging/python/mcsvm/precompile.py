"""Compile all numerical code now, so that no later process waits for it: `python -m mcsvm.precompile`.

For images of containers and for shared installations. Set MCSVM_CACHE_DIR (or NUMBA_CACHE_DIR) to a folder that the
processes will see too; they need not be able to write there. The compiled code is for this type of processor: set
NUMBA_CPU_NAME=generic, here and for the later processes, if they may run on other ones.
"""

import argparse
import sys


def main(arguments: list[str] | None = None) -> int:
    """Compile what all machines need, and print the folder; with --all also the methods of the literature."""
    parser = argparse.ArgumentParser(prog="python -m mcsvm.precompile", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="also compile the solvers that only comparisons use")
    wanted = parser.parse_args(arguments)

    from mcsvm.solvers.jit.store import CACHE_FOLDER, CACHE_LASTS
    from mcsvm.solvers.precompile import EVERY_METHOD, compile_all

    if not CACHE_LASTS:
        print("No folder for compiled code can be written. Set MCSVM_CACHE_DIR to a folder that can.", file=sys.stderr)
        return 1
    compile_all(_tell, EVERY_METHOD if wanted.all else ("auto",))
    print(f"The compiled code is in {CACHE_FOLDER}.")
    return 0


def _tell(done: int, count: int) -> None:
    if sys.stderr.isatty():
        print(f"\rCompiling: step {done} of {count}", end="\n" if done == count else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
