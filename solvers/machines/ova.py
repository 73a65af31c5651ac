"""One-vs-all: one binary machine per class against the rest."""

from mcsvm.solvers.machines.form import Machine, binary_form

MACHINE = Machine(
    name="ova",
    title="One-vs-all",
    decides="one binary machine per class against all others; the largest class function wins",
    form=lambda classes, margin: binary_form(margin),
    bias="exact",
    split="one-vs-rest",
)
