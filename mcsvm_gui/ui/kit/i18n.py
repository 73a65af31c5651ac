"""Views take their words from here."""

from mcsvm_gui.core.base.i18n import install, tr

__all__ = ["install", "tr"]
