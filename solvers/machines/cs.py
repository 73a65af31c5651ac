"""Crammer & Singer: one hinge per example, for its worst wrong class."""

from mcsvm.solvers.machines.form import Machine, relative_form

MACHINE = Machine(
    name="cs",
    title="Crammer-Singer",
    decides="all classes in one problem, one hinge per example, for its worst wrong class; the largest function wins",
    form=lambda classes, margin: relative_form(classes, margin, "simplex"),
)
