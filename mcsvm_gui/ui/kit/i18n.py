"""The translation functions that views import."""

from mcsvm_gui.core.base.i18n import as_sentence, install, language, tr, worded

__all__ = ["as_sentence", "install", "language", "tr", "worded"]
