"""MMR (maximum margin regression): one hinge per example, for the own class function f_y."""

from mcsvm.solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="mmr",
    title="Maximum margin regression",
    decides="all classes in one problem, the own class function pushed up, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "box", own=True, others=False),
)
