"""ADM (unified view): one hinge per example, for the largest wrong class function f_c itself, not f_c - f_y."""

from mcsvm.solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="adm",
    title="Absolute margin, worst wrong class",
    decides="all classes in one problem, the worst wrong class function pushed down, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "simplex", own=False, others=True),
)
