"""Weston & Watkins: one hinge for each wrong class c, of the margin minus (f_y - f_c)."""

from mcsvm.solvers.machines.form import Machine, relative_form

MACHINE = Machine(
    name="ww",
    title="Weston-Watkins",
    decides="all classes in one problem, one hinge per wrong class; the largest class function wins",
    form=lambda classes, margin: relative_form(classes, margin, "box"),
)
