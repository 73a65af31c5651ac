"""Views take their words from here."""

from mcsvm_gui.core.base.words import install, tr

__all__ = ["install", "tr"]
