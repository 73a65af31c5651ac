"""Colours, distances and machine marks: the one module that decides on looks."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette, QStyleHints
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QWidget,
)

from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.compare.variants import ON_DARK
from mcsvm_gui.core.machine import names

UNIT = 8  # pixels; every distance is a multiple of it, or half of it


@dataclass(frozen=True)
class Theme:
    """Colours by their use."""

    name: str
    window: str
    surface: str  # tables, fields, plots
    raised: str  # buttons, headers
    text: str
    muted: str
    line: str
    outline: str  # of fields and boxes: contrast of 3 to their background
    accent: str
    accent_text: str
    good: str
    warning: str
    bad: str
    dark: bool = False


LIGHT = Theme(
    name="light",
    window="#f5f6f8",
    surface="#ffffff",
    raised="#eceef2",
    text="#1c2128",
    muted="#5b6573",
    line="#d5d9e0",
    outline="#767e8a",
    accent="#2a66cc",
    accent_text="#ffffff",
    good="#177545",
    warning="#96600a",
    bad="#c0362c",
)
DARK = Theme(
    name="dark",
    window="#1b1e24",
    surface="#22262e",
    raised="#2c313b",
    text="#e4e7ec",
    muted="#9aa4b2",
    line="#3a414d",
    outline="#727d8c",
    accent="#6ea2ff",
    accent_text="#10141a",
    good="#4cc38a",
    warning="#e3b341",
    bad="#f47067",
    dark=True,
)
# A contrast of at least 7 : 1 (WCAG 2.1, 1.4.6), and lines as strong as words.
CONTRAST = Theme(
    name="contrast",
    window="#ffffff",
    surface="#ffffff",
    raised="#f0f0f0",
    text="#000000",
    muted="#262626",
    line="#000000",
    outline="#000000",
    accent="#0b2fa5",
    accent_text="#ffffff",
    good="#00481f",
    warning="#5c3600",
    bad="#8a0d05",
)
DARK_CONTRAST = Theme(
    name="dark-contrast",
    window="#000000",
    surface="#000000",
    raised="#141414",
    text="#ffffff",
    muted="#e0e0e0",
    line="#ffffff",
    outline="#ffffff",
    accent="#ffd400",
    accent_text="#000000",
    good="#6df2a8",
    warning="#ffd27a",
    bad="#ffb3ab",
    dark=True,
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST, DARK_CONTRAST)}


@dataclass(frozen=True)
class MachineStyle:
    """An entry of `names.MACHINES` in pyqtgraph's terms."""

    colour: str
    dash: tuple[float, ...]
    marker: str


SHAPES = "circle", "square", "triangle", "diamond", "star", "pentagon", "cross"
SYMBOLS = dict(zip(SHAPES, ("o", "s", "t1", "d", "star", "p", "x"), strict=True))


def _style(look: names.Appearance) -> MachineStyle:
    return MachineStyle(look.colour, look.dashes, SYMBOLS[look.marker])


MACHINE_STYLES = {name: _style(look) for name, look in names.MACHINES.items()}
OTHER_MACHINE = _style(names.OTHER_MACHINE)
CLASS_COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"),
    *("#d55e00", "#8a8f98", "#b8a800", "#7a5195", "#6b4c1e"),
)
CLASS_MARKERS = "o", "s", "t1", "d", "star", "p", "h", "+", "x", "t"


_EVERY = *MACHINE_STYLES.values(), OTHER_MACHINE
_DASHES, _MARKERS = [style.dash for style in _EVERY], [style.marker for style in _EVERY]


def machine_style(name: str, number: int = 0) -> MachineStyle:
    """Return the style of a machine; `number` counts its runs in one plot, which differ in shade, dash and marker."""
    style, dark = MACHINE_STYLES.get(name, OTHER_MACHINE), _current.dark
    return MachineStyle(
        variants.shaded(ON_DARK[style.colour] if dark else style.colour, number, dark=dark),
        variants.turned(_DASHES, style.dash, number),
        variants.turned(_MARKERS, style.marker, number),
    )


OUTLINED = "QLineEdit", "QCheckBox", "QRadioButton", "QAbstractSpinBox", "QComboBox"
EFFECT = Qt.UIEffect  # no animations, whatever the system's setting
MOTIONS = (
    EFFECT.UI_AnimateMenu,
    EFFECT.UI_FadeMenu,
    EFFECT.UI_AnimateCombo,
    EFFECT.UI_AnimateTooltip,
    EFFECT.UI_FadeTooltip,
)
STYLED = QPushButton, QLabel, QHeaderView, QAbstractItemView, QSplitter  # in STYLE_SHEET
DARKER = 140  # per cent: Fusion's outline is QColor.darker of the window's colour


class Notifier(QObject):
    changed = Signal()


_notifier = Notifier()
_current = LIGHT
_choice = "light"
_hints: QStyleHints | None = None  # the hints whose signal is connected


def notifier() -> Notifier:
    return _notifier


def current() -> Theme:
    return _current


def use(choice: str) -> None:
    """Use a theme, by name, for the whole application; `system` follows the system's setting from now on."""
    global _choice, _hints
    _choice, hints = choice, QGuiApplication.styleHints()
    if hints is not _hints:
        _hints = hints
        _set_style()
        hints.colorSchemeChanged.connect(_follow)
    _show(THEMES[choice] if choice in THEMES else _of_the_system(hints.colorScheme()))


def _follow(scheme: Qt.ColorScheme) -> None:
    if _choice not in THEMES and _of_the_system(scheme) is not _current:
        _show(_of_the_system(scheme))


def _show(chosen: Theme) -> None:
    global _current
    _current = chosen
    application = _application()
    application.setPalette(palette(_current))
    for kind in OUTLINED:
        application.setPalette(outlined(_current), kind)  # type: ignore[arg-type]  # the stub says bytes, which it refuses
    _notifier.changed.emit()


def _set_style() -> None:
    """Set style and style sheet once for every theme.

    PySide keeps its objects of a replaced style in memory. A new style sheet of the application costs a
    quarter of a millisecond for each widget (0.6 s for all pages), so its text does not depend on the theme. Without
    the attribute, Qt does not pass a new palette on from a widget with a style sheet to its children.
    """
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_UseStyleSheetPropagationInWidgetStyles)
    application = _application()
    application.setStyle("Fusion")
    for effect in MOTIONS:
        application.setEffectEnabled(effect, False)
    application.setStyleSheet(STYLE_SHEET)


def repolish(widget: QWidget) -> None:
    """Let the style apply its rules to a widget again, after a change of a property or of the palette."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def restyle(window: QWidget) -> None:
    """Repolish the widgets of a window that have rules in the style sheet, after a change of the theme.

    The style reads colours of the palette only when it polishes a widget. The other widgets follow the palette.
    """
    for kind in STYLED:
        for widget in window.findChildren(kind):
            repolish(widget)


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication), "the theme belongs to an application"
    return application


def _of_the_system(scheme: Qt.ColorScheme) -> Theme:
    return DARK if scheme is Qt.ColorScheme.Dark else LIGHT


def palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.Base: theme.surface,
        role.AlternateBase: theme.window,
        role.Button: theme.raised,
        role.ToolTipBase: theme.raised,
        role.WindowText: theme.text,
        role.Text: theme.text,
        role.ButtonText: theme.text,
        role.ToolTipText: theme.text,
        role.BrightText: theme.bad,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.accent_text,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.good,  # no text here has visited links, and the style sheet needs a role for it
        role.NoRole: theme.warning,  # likewise: no widget is painted in this role
        role.Mid: theme.line,
        role.Midlight: theme.raised,
        role.Light: theme.raised,
        role.Dark: theme.line,
        role.Shadow: theme.line,
    }
    result = QPalette()
    for name, colour in colours.items():
        result.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.muted))
    return result


def outlined(theme: Theme) -> QPalette:
    """Return a palette with visible outlines: Fusion draws them darker than the window, invisible on a dark one."""
    result = palette(theme)
    result.setColor(QPalette.ColorRole.Window, QColor(theme.outline).lighter(DARKER))
    return result


# Rules that a palette cannot express, in colours of the palette, which the style looks up when it polishes a widget.
# Roles of a widget are dynamic properties: widget.setProperty("role", "title").
STYLE_SHEET = f"""
QToolTip {{ color: palette(window-text); background: palette(button); border: 1px solid palette(mid);
    padding: {UNIT // 2}px; }}
QLabel[role="title"] {{ font-size: 16pt; font-weight: 600; }}
QLabel[role="heading"] {{ font-weight: 600; }}
QLabel[role="muted"] {{ color: palette(placeholder-text); }}
QLabel[role="good"] {{ color: palette(link-visited); font-weight: 600; }}
QLabel[role="warning"] {{ color: palette(no-role); }}
QLabel[role="bad"] {{ color: palette(bright-text); }}
QPushButton {{ padding: {UNIT // 2}px {2 * UNIT}px; border: 1px solid palette(mid); border-radius: {UNIT // 2}px;
    background: palette(button); min-height: {2 * UNIT}px; }}
QPushButton:hover, QPushButton:focus {{ border-color: palette(highlight); }}
QPushButton:pressed {{ background: palette(mid); }}
QPushButton:disabled {{ color: palette(placeholder-text); background: palette(window); }}
QPushButton:checked {{ color: palette(highlight); border-color: palette(highlight); }}
QPushButton[role="primary"] {{ background: palette(highlight); color: palette(highlighted-text);
    border-color: palette(highlight); font-weight: 600; }}
QPushButton[role="primary"]:disabled {{ background: palette(button); color: palette(placeholder-text);
    border-color: palette(mid); }}
QHeaderView::up-arrow, QHeaderView::down-arrow {{ subcontrol-origin: margin; subcontrol-position: top center;
    width: {UNIT}px; height: {UNIT}px; }}
QHeaderView::section {{ background: palette(window); color: palette(placeholder-text); border: none;
    border-bottom: 1px solid palette(mid); padding: {UNIT // 2}px {UNIT}px; }}
QTableView, QListView, QTreeView {{ border: 1px solid palette(mid); gridline-color: palette(mid); }}
QSplitter::handle {{ background: palette(window); }}
"""
