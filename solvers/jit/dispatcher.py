"""The dispatcher of compiled functions: machine code is generated only for functions that Python calls.

numba treats every function that another compiled function calls as if Python called it too: it optimises it, generates
machine code and two wrappers for it, and then links it into its caller, for which it repeats all of this. With call
chains of six functions, this took three quarters of the time of a first training. Here a called function is a *part*:
it is typed and lowered once, and optimised in each function that Python calls (an *entry*). Only entries are stored.

`notes/compilation.md` has the measurements.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba  # noqa: F401 - waits until another thread has imported it; importing only submodules does not wait
from numba.core import compiler, sigutils, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral

from mcsvm.solvers import clock
from mcsvm.solvers.jit.notice import announce
from mcsvm.solvers.jit.store import CACHE_WORKS, Store

# Thresholds of the garbage collector: numba makes millions of objects, and with Python's default thresholds collections
# take a tenth of the time of compilation.
COLLECTIONS = 20_000, 50, 1000


class LoopFlags(compiler.Flags):
    """Compiler flags whose comparison uses only the flags that affect the code of the operations in a function.

    numba looks up each operation by the types of its arguments and by all flags of the function, and hashes these every
    time. Without this class, entries and parts would have separate tables of operations.
    """

    __slots__ = ()
    fastmath: Any

    def __hash__(self) -> int:
        return hash(frozenset(self.fastmath.flags))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoopFlags) and bool(self.fastmath.flags == other.fastmath.flags)


class LoopCompiler(_FunctionCompiler):
    """The compiler of entries."""

    def _customize_flags(self, flags: compiler.Flags) -> compiler.Flags:
        flags = LoopFlags(flags)
        flags.no_cfunc_wrapper = True  # for callers in C
        return flags


class PartLibrary(JITCodeLibrary):
    """The LLVM module of a part and of the parts that it calls."""

    def finalize(self) -> None:
        """Link the callees; only the entry runs the passes over whole modules and generates machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class Loop(CPUDispatcher):
    """A compiled function: an entry for Python, a part for other compiled functions."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals, targetoptions)
        self._compiler = LoopCompiler(py_func, self.targetdescr, targetoptions, self.locals, compiler.Compiler)
        self._parts: dict[tuple[Any, ...], Any] = {}

    def store_compiled_code(self) -> None:
        """Use the store on disk: look for compiled code there, and write it there."""
        self._cache = Store(self.py_func)

    # -- entries ----------------------------------------------------------------------------------

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile or load the entry for these arguments while the clock of trainings stands still; numba calls this."""
        with clock.held():
            return super()._compile_for_args(*args, **kws)

    def compile(self, sig: Any) -> Any:
        """Compile or load the entry with this signature; only one process at a time compiles it."""
        store: Any = self._cache
        if not isinstance(store, Store):
            return super().compile(sig)
        with global_compiler_lock:
            if self._load(sig):
                return self.overloads[tuple(sig)].entry_point
            with store.locked():
                if self._load(sig):  # another process has compiled it meanwhile
                    return self.overloads[tuple(sig)].entry_point
                announce(stored=CACHE_WORKS)
                with _few_collections():
                    return super().compile(sig)

    def _load(self, sig: Any) -> bool:
        """Load the entry unless it is loaded; return whether it is."""
        if tuple(sig) not in self.overloads:
            entry = self._cache.load_overload(sig, self.targetctx)
            if entry is None:
                return False
            self._cache_hits[sig] += 1
            self.add_overload(entry)
        return True

    # -- parts ------------------------------------------------------------------------------------

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the information that type inference needs for a call from another compiled function; numba calls this.

        A constant argument counts as any value of its type; otherwise each constant would have a part of its own.
        """
        pysig, given = self._compiler.fold_argument_types(args, kws)
        self._compile_part(tuple(unliteral(one) for one in given))
        name = self.py_func.__name__
        signatures = [part.signature for part in self._parts.values()]
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=signatures)
        return template, pysig, given, {}

    def get_overload(self, sig: Any) -> Any:
        """Return the key under which the part with this signature is registered; numba calls this."""
        types, _ = sigutils.normalize_signature(sig)
        return self._parts[tuple(types)].entry_point

    def _compile_part(self, types: tuple[Any, ...]) -> None:
        with global_compiler_lock:
            if types in self._parts:
                return
            flags = LoopFlags()
            self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            part = compiler.compile_extra(
                self.typingctx, self.targetctx, self.py_func, args=types, return_type=None, flags=flags, locals={},
                library=PartLibrary(self.targetctx.codegen(), self.py_func.__qualname__),
            )  # fmt: skip
            key = object()
            self.targetctx.insert_user_function(key, part.fndesc, [part.library])
            self._parts[types] = part._replace(entry_point=key)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Make Python look for unreachable cycles less often."""
    before = gc.get_threshold()
    gc.set_threshold(*COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
