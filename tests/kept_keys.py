"""Keys under which trainings and searches are kept, pinned: an option that is added must not train anything again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.experiment import RunSpec
from mcsvm_gui.core.experiment.journal import key_of
from mcsvm_gui.core.experiment.journal_entries import training_key
from mcsvm_gui.core.experiment.searching import SearchSpec, key_of_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.cells import conditions
from mcsvm_gui.core.tune.options import TuneRequest

DATA = cast(Any, SimpleNamespace(digest="d"))
PLAIN, OTHER = Request(), Request(machine="ovo", C=4.0, class_weight=(("a", 2.0),), rules=Rules(scale="standard"))
SEARCH = SearchSpec(C="2^0:2^2", folds=3, score="macro-f1")


def keys() -> dict[str, str]:
    return {
        "training": training_key(RunSpec("d", "a", PLAIN), DATA, None, closely=True),
        "other training": training_key(RunSpec("d", "a", OTHER), DATA, DATA, closely=False),
        "searched training": training_key(RunSpec("d", "a", OTHER, search=SEARCH), DATA, None, closely=True),
        "search": key_of("search", "d", SEARCH.said(), key_of_request(OTHER)),
        "cells": conditions(PLAIN, TuneRequest()),
        "other cells": conditions(OTHER, TuneRequest(folds=3)),
    }


PINNED = {
    "training": "79249b85658ef7177e4ac6c642b17229c905d6b10e96b66ee261b5ad8510f3b3",
    "other training": "dd92ec0a8bf003d046106f6f64535a19fef3a98ed39371e6b13fc392feaeccb0",
    "searched training": "029f823d824d0ecc5ea0372f5698d3f08e7ee40e2d8e21f50f0721e18399e863",
    "search": "01747334466efdcb97b48f4b2703c3648f1f7c106577d9f497bef87f1bf7f8f1",
    "cells": "123c7773e75761e56c8e2340be10e5c9e9087c1a643fcb80156ddcd9605dbbe2",
    "other cells": "b4f5c984efc3cf2a16e6040a81ece9c0e43fc68d6de7e1ca65b45cc5e85c2597",
}
