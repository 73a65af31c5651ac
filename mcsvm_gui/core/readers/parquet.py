from mcsvm_gui.core.errors import FileError

NAME = "parquet"


def read(source, options, *, needs_label):
    raise FileError(source.path, "not yet")
