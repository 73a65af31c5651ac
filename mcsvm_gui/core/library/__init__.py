"""The functions that the Python package offers besides the estimator: model files, verification and exports.

`arrays` turns arrays and tables in memory into data sets, `fitted` a fitted MultiClassSVC into a trained model, and
`SavedModel` is a trained model with the methods that users of scikit-learn expect.
"""

from __future__ import annotations

import os
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.verification import Verification
from mcsvm_gui.core.evaluate.verification import verify as verify_trained
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.checked import Receipt
from mcsvm_gui.core.library.arrays import dataset_of
from mcsvm_gui.core.library.fitted import trained_of
from mcsvm_gui.core.library.saved import SavedModel
from mcsvm_gui.core.library.skl2onnx_converter import register_onnx_converter
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.trained import TrainedModel

__all__ = ["SavedModel", "export", "load_model", "register_onnx_converter", "save_model", "verify"]

Named = str | os.PathLike[str]


def save_model(model: Any, path: Named) -> None:
    """Write a model to a `.mcsvm` file. The same training gives the same bytes.

    Parameters
    ----------
    model : MultiClassSVC or SavedModel
        A fitted estimator, or a model that `load_model` returned.
    path : str or path-like
        The file. It appears whole or not at all.

    Examples
    --------
    >>> import tempfile, os
    >>> from mcsvm import MultiClassSVC, load_model, save_model
    >>> model = MultiClassSVC(machine="ovo").fit([[0.0], [1.0], [4.0]], ["a", "b", "c"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, os.path.join(folder, "model.mcsvm"))
    ...     load_model(os.path.join(folder, "model.mcsvm")).predict([[0.1]])
    array(['a'], dtype='<U1')
    """
    model_file.save(path, _trained(model))


def load_model(path: Named) -> SavedModel:
    """Read a `.mcsvm` file, written by `save_model`, `mcsvm train --model` or the window. Reading it runs no code.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : SavedModel
        The model. It predicts raw rows, because the file contains the preprocessing.
    """
    return SavedModel(model_file.load(path))


def verify(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, recompute_calibration: bool = False
) -> Verification:
    """Compare a model with its training data, part by part, and recompute its certificate.

    Parameters
    ----------
    model : MultiClassSVC, SavedModel, str or path-like
        A fitted estimator, a loaded model, or a model file.
    X : array-like, sparse, Dataset, str or path-like
        The training rows; a data set or a file contains the labels too.
    y : array-like or None, default=None
        The labels, if X is an array.
    sample_weight : array-like or None, default=None
        The weights that were given to `fit`.
    recompute_calibration : bool, default=False
        Fit the probabilities again also if there are more than 10,000 training rows.

    Returns
    -------
    verification : Verification
        `holds` tells whether nothing differs, `converged` whether the recomputed certificate reaches the tolerance;
        `checks` has a result and a sentence for each part, `recomputed` the certificate.
    """
    trained = _trained(model)
    if isinstance(X, (str, os.PathLike)):
        dataset = open_dataset(X, trained.request.read)
    else:
        dataset = dataset_of(trained, X, y, sample_weight).counting()
    if dataset.labels is None:
        raise InputError("verify needs the labels of the training rows. Give them as y.")
    return verify_trained(trained, dataset, recompute_calibration=recompute_calibration)


def export(model: Any, path: Named, to: str, check: Any = None) -> Receipt:
    """Write a model in another program's format. The file is tried on rows before it appears.

    Parameters
    ----------
    model : MultiClassSVC, SavedModel, str or path-like
        A fitted estimator, a loaded model, or a model file.
    path : str or path-like
        The file to write.
    to : {"onnx", "libsvm", "liblinear", "pmml", "json", "c", "python"}
        The format.
    check : array-like, sparse, Dataset, str or path-like, default=None
        Rows for the trial. None: the training rows if their file is known, else the support vectors.

    Returns
    -------
    receipt : Receipt
        `files` are the paths that were written, `checks` says in sentences what was compared.
    """
    trained = _trained(model)
    if to not in EXPORTERS:
        raise InputError("to={to!r}: there is no such format; choose one of {known}", to=to, known=", ".join(EXPORTERS))
    rows = None if check is None else dataset_of(trained, check)
    return EXPORTERS[to].export(trained, os.fspath(path), rows)


def _trained(model: Any) -> TrainedModel:
    if isinstance(model, (str, os.PathLike)):
        return model_file.load(model)
    return model.trained if isinstance(model, SavedModel) else trained_of(model)
