"""scikit-learn's own tests of SVC, run with MultiClassSVC(machine="ovo") in its place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from copies import ROOT, import_path

pytestmark = pytest.mark.large

STAND_IN = """
import sklearn.svm
from mcsvm import MultiClassSVC


class SVC(MultiClassSVC):
    _parameter_constraints = MultiClassSVC._parameter_constraints | dict.fromkeys(
        ("cache_size", "probability", "shrinking", "verbose"), "no_validation"
    )

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, class_weight=None,
                 cache_size=200, max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
                 probability=False, shrinking=True, verbose=False, machine="ovo"):
        super().__init__(machine=machine, C=C, kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, tol=tol,
                         class_weight=class_weight, max_iter=max_iter, break_ties=break_ties,
                         decision_function_shape=decision_function_shape, random_state=random_state)
        self.cache_size, self.probability, self.shrinking, self.verbose = cache_size, probability, shrinking, verbose


sklearn.svm.SVC = SVC
"""

# Why each is left. "ours": decided otherwise on purpose; "LIBSVM": about its insides, the last digits of its path, its
# messages, or what scikit-learn itself is about to remove.
LEFT = {
    "test_svc_ovr_tie_breaking": "ours: without break_ties too, the largest score is the class that predict names",
    "test_svm_with_infinite_C": "ours: C = inf is refused in words (two cases)",
    "test_negative_weights_svc_leave_two_labels": "LIBSVM: rows of negative weight are masked; ours are refused",
    "test_negative_weight_equal_coeffs": "LIBSVM: as above",
    "test_libsvm_parameters": "LIBSVM: coefficients to the last digit at tol=1e-3",
    "test_precomputed": "LIBSVM: as above",
    "test_svc_clone_with_callable_kernel": "LIBSVM: as above",
    "test_tweak_params": "LIBSVM: as above, and private attributes",
    "test_svc_raises_error_internal_representation": "LIBSVM: private attributes",
    "test_n_iter_libsvm": "LIBSVM: steps per pair",
    "test_libsvm_convergence_warnings": "LIBSVM: its words",
    "test_probability": "LIBSVM: probability=True, deprecated",
    "test_hasattr_predict_proba": "LIBSVM: as above",
    "test_probability_raises_futurewarning": "LIBSVM: as above",
    "test_svc_nusvc_probA_probB_deprecated": "LIBSVM: as above",
}


def test_what_is_not_of_libsvm_alone_passes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn.svm.tests.test_svm")
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    thread_unsafe: scikit-learn's\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "stand_in", "-c", "pytest.ini", "--rootdir", "."]
    command += ["-p", "no:cacheprovider", "--tb=no"]
    done = subprocess.run(
        [*command, "--pyargs", "sklearn.svm.tests.test_svm"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": import_path(ROOT, tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert re.search(r"\d{2,} passed", done.stdout), done.stdout + done.stderr
    failed = set(re.findall(r"^FAILED .*::(\w+)", done.stdout, re.MULTILINE))
    assert failed == set(LEFT)
