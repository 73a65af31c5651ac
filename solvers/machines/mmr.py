"""MMR: only the own class function is pushed above the margin."""

from solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="mmr",
    title="Maximum margin regression",
    decides="all classes in one problem, the own class function pushed up, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "box", own=True, others=False),
)
